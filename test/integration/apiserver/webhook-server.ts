/** A webhook on loopback over TLS: answers what a test says, and remembers what it was asked. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCertificateAuthority } from '../../../localstack/tls.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests open reviews freely
export type Review = any;
/** Body of the answer by the path that was asked; a function of the review. `undefined`: no answer comes. */
export type Answers = Record<string, (review: Review) => { status?: number; body: unknown } | undefined>;

export type WebhookServer = {
  port: number;
  url(path: string): string;
  /** base64 of PEM, as `caBundle` has it. */
  caBundle: string;
  asked: { path: string; review: Review }[];
  close(): Promise<void>;
};

/** An AdmissionReview that answers `review`. */
export function respond(review: Review, response: Record<string, unknown>) {
  return {
    body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: review.request.uid, ...response } },
  };
}

/** A JSON patch as reviews carry it. */
export function patchOf(...operations: unknown[]) {
  return { allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

export async function startWebhookServer(answers: Answers): Promise<WebhookServer> {
  const dir = await mkdtemp(join(tmpdir(), 'webhook-'));
  const authority = await openCertificateAuthority(dir, () => Date.now());
  const pair = await authority.serverCertificate('webhook');
  const asked: WebhookServer['asked'] = [];
  const server = createServer({ cert: pair.cert, key: pair.key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const review = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    asked.push({ path, review });
    const answer = answers[path]?.(review);
    if (!answer) return;
    response.writeHead(answer.status ?? 200, {
      'content-type': 'application/json',
      ...(answer.status === 302 ? { location: '/other' } : {}),
    });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (path) => `https://127.0.0.1:${port}${path}`,
    caBundle: Buffer.from(authority.caCert).toString('base64'),
    asked,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
}
