/**
 * Plays the probes on a real kube-apiserver and writes what it answered. By hand, on an empty cluster:
 *
 *   node test/integration/api/record-probes.ts KUBECONFIG
 *
 * The kubeconfig needs a server, a CA and a token.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { PROBES, type Probe, SETUP } from './probes.ts';

/** What was answered: refusals by their Status, successes by their code and warnings alone. */
export type ProbeAnswer = { code: number; reason?: string; message?: string; causes?: unknown; warnings?: string };

const RECORDING = new URL('./probes.json', import.meta.url);

/** The recorded answers by the names of their probes. */
export function recordedAnswers(): Record<string, ProbeAnswer> {
  return JSON.parse(readFileSync(RECORDING, 'utf8')) as Record<string, ProbeAnswer>;
}

/** The part of an answer that is compared. Refusals that are no Status (of media types) keep their code alone. */
export function answerOf(code: number, text: string, warning: string | null | undefined): ProbeAnswer {
  const warnings = warning ? { warnings: warning } : {};
  if (code < 300 || !text.startsWith('{')) return { code, ...warnings };
  const { reason = '', message = '', details } = JSON.parse(withoutIdentities(text));
  // What a server says beyond field errors is its own; one error is told twice upstream where two layers find it.
  const causes = (details?.causes as { reason: string }[] | undefined)?.filter(
    ({ reason: why }) => why !== 'UnexpectedServerResponse',
  );
  const distinct = [...new Map(causes?.map((cause) => [JSON.stringify(cause), cause]) ?? []).values()];
  return { code, reason, message, ...(distinct.length > 0 ? { causes: distinct } : {}), ...warnings };
}

/** Identities, versions and drawn names differ between servers. */
function withoutIdentities(text: string): string {
  return text
    .replace(/(UID in (?:object meta:|record)) \(?[-0-9a-f]{36}\)?/g, '$1 U')
    .replace(/(ResourceVersion in record) \(\d+\)/g, '$1 N')
    .replace(/Bad_[a-z0-9]{5}/g, 'Bad_xxxxx');
}

async function main(): Promise<void> {
  const [path] = process.argv.slice(2);
  if (path === undefined) throw new Error('usage: record-probes.ts KUBECONFIG');
  const config = parse(readFileSync(path, 'utf8'));
  const { server, 'certificate-authority-data': ca } = config.clusters[0].cluster;
  const dispatcher = new Agent({ connect: { ca: Buffer.from(ca, 'base64').toString() } });
  const send = async ({
    method,
    path: url,
    body,
    type = 'application/json',
    accept = 'application/json',
    headers = {},
  }: Probe) => {
    const sent = {
      authorization: `Bearer ${config.users[0].user.token}`,
      accept,
      ...headers,
      ...(body === undefined ? {} : { 'content-type': type }),
    };
    const payload = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body);
    const reply = await request(`${server}${url}`, { method: method as 'GET', headers: sent, body: payload, dispatcher });
    return answerOf(reply.statusCode, await reply.body.text(), reply.headers.warning as string | undefined);
  };
  for (const probe of SETUP) {
    const { code, message } = await send(probe);
    // A controller may have been faster with the account.
    if (code >= 300 && probe.name !== 'account') throw new Error(`${probe.name}: ${code} ${message}: record on a fresh cluster`);
  }
  const answers: Record<string, ProbeAnswer> = {};
  for (const probe of PROBES) answers[probe.name] = await send(probe);
  writeFileSync(RECORDING, `${JSON.stringify(answers, null, 1)}\n`);
  console.log(`${PROBES.length} probes recorded`);
}

if (import.meta.main) await main();
