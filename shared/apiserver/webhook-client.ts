/** Calls to webhooks, of admission and of conversion: where a client configuration leads, and what a failed call is called upstream. */
import { fromStored } from '../apis/stored.ts';
import { parseJson } from '../machinery/codec/json.ts';
import { quoteGo } from '../machinery/go-quote.ts';
import type { JsonObject, KubeObject } from '../machinery/object.ts';
import type { Store } from '../ports/object-store.ts';
import type { Http, HttpRequest } from '../ports/system.ts';
import { isJsonObject } from './http/body.ts';

/** Longest answer of a webhook that is read: upstream's limit for any body. */
const ANSWER_BYTES_MAX = 3 * 1024 * 1024;

/** `clientConfig` as it stands in webhooks and CustomResourceDefinitions; `caBundle` is base64 of PEM. */
export type WebhookClientConfig = {
  url?: string | null;
  service?: { namespace: string; name: string; path?: string | null; port?: number | null } | null;
  caBundle?: string | null;
};

export type WebhookAnswer = { type: 'answer'; body: JsonObject } | { type: 'failure'; reason: string };

/** Where connections to a Service lead; `failure` in upstream's words. */
export type ResolveService = (
  namespace: string,
  name: string,
  port: number,
) => Promise<{ type: 'address'; host: string; port: number } | { type: 'failure'; reason: string }>;

/** Posts a review and reads what comes back. Never rejects for what the webhook does. */
export type WebhookClient = { post(config: WebhookClientConfig, review: JsonObject, timeoutMs: number): Promise<WebhookAnswer> };

export function createWebhookClient({ http, resolveService }: { http: Http; resolveService: ResolveService }): WebhookClient {
  return {
    async post(config, review, timeoutMs) {
      const seconds = Math.ceil(timeoutMs / 1000);
      const target = targetOf(config, seconds);
      const connectTo = config.service
        ? await resolveService(config.service.namespace, config.service.name, target.port)
        : undefined;
      const failed = (reason: string): WebhookAnswer => ({ type: 'failure', reason: `Post ${quoteGo(target.url)}: ${reason}` });
      if (connectTo?.type === 'failure') return failed(connectTo.reason);
      const request: HttpRequest = {
        method: 'POST',
        url: target.url,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, */*',
          'user-agent': 'kube-apiserver-admission',
        },
        body: JSON.stringify(review),
        timeoutMs,
        bodyBytesMax: ANSWER_BYTES_MAX,
        ...(config.caBundle ? { ca: Buffer.from(config.caBundle, 'base64').toString('utf8') } : {}),
        ...(connectTo ? { connectTo: { host: connectTo.host, port: connectTo.port } } : {}),
      };
      const answer = await http.send(request);
      return answer.type === 'failure' ? failed(answer.reason) : readAnswer(answer.status, answer.body);
    },
  };
}

function targetOf({ url, service }: WebhookClientConfig, seconds: number): { url: string; port: number } {
  const query = `?timeout=${seconds}s`;
  if (!service) return { url: `${url ?? ''}${query}`, port: 443 };
  const port = service.port ?? 443;
  const path = service.path ? (service.path.startsWith('/') ? service.path : `/${service.path}`) : '';
  return { url: `https://${service.name}.${service.namespace}.svc:${port}${path}${query}`, port };
}

/** client-go's sentences for answers that are no success. */
function readAnswer(status: number, body: string): WebhookAnswer {
  const value = readJson(body);
  if (status >= 200 && status < 300)
    return value
      ? { type: 'answer', body: value }
      : { type: 'failure', reason: "couldn't get version/kind; json parse error: the answer is no JSON object" };
  if (value?.kind === 'Status' && typeof value.message === 'string') return { type: 'failure', reason: value.message };
  return { type: 'failure', reason: sentenceOf(status, body.trim()) };
}

function sentenceOf(status: number, body: string): string {
  const shown = body.slice(0, 2048);
  switch (status) {
    case 404:
      return 'the server could not find the requested resource';
    case 405:
      return 'the server does not allow this method on the requested resource';
    case 400:
      return shown === '' ? 'the server rejected our request for an unknown reason' : shown;
    case 429:
      return 'the server has received too many requests and has asked us to try again later';
    case 503:
      return shown === '' ? 'the server is currently unable to handle the request' : shown;
    default:
      if (status >= 500)
        return `an error on the server (${quoteGo(shown || 'unknown')}) has prevented the request from succeeding`;
      return `the server responded with the status code ${status} but did not return more information`;
  }
}

function readJson(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Services as this server can reach them: there is no service network behind it, so only endpoints that somebody wrote by hand (a Service without
 * selector), external names, and nothing else.
 */
export function storedServices(store: Pick<Store, 'objects'>): ResolveService {
  return async (namespace, name, port) => {
    const stored = await store.objects.get({ scope: '/services', namespace, name });
    if (!stored) return { type: 'failure', reason: `service ${quoteGo(name)} not found` };
    const { spec } = fromStored(stored);
    if (spec?.type === 'ExternalName') return { type: 'address', host: spec.externalName, port };
    const servicePort = ((spec?.ports ?? []) as KubeObject[string][]).find((each) => each?.port === port);
    if (!servicePort) return { type: 'failure', reason: `no service port ${port} found for service ${quoteGo(name)}` };
    const written = spec?.selector ? undefined : await writtenEndpoint(store, namespace, name, servicePort);
    return written ?? { type: 'failure', reason: `dial tcp ${spec?.clusterIP ?? name}:${port}: connect: no route to host` };
  };
}

async function writtenEndpoint(
  store: Pick<Store, 'objects'>,
  namespace: string,
  name: string,
  servicePort: KubeObject[string],
): Promise<{ type: 'address'; host: string; port: number } | undefined> {
  const stored = await store.objects.get({ scope: '/endpoints', namespace, name });
  const subsets = (stored ? (fromStored(stored).subsets ?? []) : []) as KubeObject[string][];
  for (const subset of subsets) {
    const host = subset?.addresses?.[0]?.ip;
    const ports = (subset?.ports ?? []) as KubeObject[string][];
    const port = ports.find((each) => (each?.name ?? '') === (servicePort?.name ?? ''))?.port;
    if (host && port) return { type: 'address', host, port };
  }
  return undefined;
}
