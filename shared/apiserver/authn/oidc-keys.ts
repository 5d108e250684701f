/** Public keys of an OpenID provider: found through its discovery document, kept, and asked for again when they are old or one is missing. */
import { parseJson } from '../../machinery/codec/json.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import type { FetchDocument } from '../../ports/documents.ts';
import type { PublicKey } from '../../ports/signer.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { ISSUER_KEYS_MS, ISSUER_RETRY_MS } from './limits.ts';

/** Keys that a provider may have at once. */
const KEYS_MAX = 100;

type Options = { issuerUrl: string; signingAlgorithms?: readonly string[] };
type Deps = { clock: Pick<Clock, 'now'>; log: Log; fetchDocument: FetchDocument };

/** Keys that a token's header may mean; none: it names a key or an algorithm that is not to be believed. */
export type FoundKeys = { type: 'keys'; keys: readonly PublicKey[] } | { type: 'failed'; message: string };
export type IssuerKeys = { find(header: JsonObject): Promise<FoundKeys> };

export function createIssuerKeys(options: Options, { clock, log, fetchDocument }: Deps): IssuerKeys {
  const algorithms = options.signingAlgorithms ?? ['RS256'];
  let keys: readonly PublicKey[] | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let message = 'the keys of the issuer have not been read yet';
  let asking: Promise<void> | undefined;
  const ask = async (): Promise<void> => {
    askedAt = clock.now();
    const read = await readKeys(options.issuerUrl, algorithms, fetchDocument);
    if (typeof read !== 'string') keys = read;
    else {
      message = `the keys of the issuer cannot be read: ${read}`;
      log.warn(message, { issuer: options.issuerUrl });
    }
  };
  // One at a time, and not again for every token with a key that nobody knows.
  const refresh = (): Promise<void> => {
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    return asking;
  };
  return {
    async find({ alg, kid }) {
      if (typeof alg !== 'string' || !algorithms.includes(alg)) return { type: 'keys', keys: [] };
      const matching = () => (keys ?? []).filter((key) => key.alg === alg && (kid === undefined || key.kid === kid));
      const age = clock.now() - askedAt;
      const isWanted = keys === undefined || age >= ISSUER_KEYS_MS || matching().length === 0;
      if (asking || (isWanted && age >= ISSUER_RETRY_MS)) await refresh();
      return keys === undefined ? { type: 'failed', message } : { type: 'keys', keys: matching() };
    },
  };
}

/** The keys, or why there are none. */
async function readKeys(
  issuer: string,
  algorithms: readonly string[],
  fetchDocument: FetchDocument,
): Promise<PublicKey[] | string> {
  const discovery = await readObject(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, fetchDocument);
  if (typeof discovery === 'string') return discovery;
  if (discovery.issuer !== issuer) return `its discovery document names another issuer: ${JSON.stringify(discovery.issuer)}`;
  const set = await readObject(String(discovery.jwks_uri), fetchDocument);
  if (typeof set === 'string') return set;
  const listed = Array.isArray(set.keys) ? set.keys.slice(0, KEYS_MAX) : [];
  return listed.flatMap((key) => (isObject(key) ? usableKeys(key, algorithms) : []));
}

/** A key counts for the algorithm that it names, or for every one that is allowed; whether it fits is seen when it verifies. */
function usableKeys(key: JsonObject, algorithms: readonly string[]): PublicKey[] {
  if (key.use !== undefined && key.use !== 'sig') return [];
  const texts = Object.fromEntries(['kty', 'crv', 'x', 'y', 'n', 'e'].flatMap((name) => textMember(key, name)));
  const named = algorithms.filter((alg) => key.alg === undefined || key.alg === alg);
  return named.map((alg) => ({ kty: '', ...texts, alg, kid: typeof key.kid === 'string' ? key.kid : '' }));
}

function textMember(key: JsonObject, name: string): [string, string][] {
  const value = key[name];
  return typeof value === 'string' ? [[name, value]] : [];
}

async function readObject(url: string, fetchDocument: FetchDocument): Promise<JsonObject | string> {
  const read = await fetchDocument(url);
  if (read.type === 'failed') return read.message;
  try {
    const value = parseJson(read.text);
    return isObject(value) ? value : `${url} is no JSON object`;
  } catch {
    return `${url} is no JSON`;
  }
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
