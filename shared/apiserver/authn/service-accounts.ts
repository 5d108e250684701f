/**
 * ServiceAccount tokens as credentials: the signature once, then at each use that the account and whatever the token is bound to still stand
 * (k8s.io/kubernetes/pkg/serviceaccount). Tokens from Secrets of type kubernetes.io/service-account-token count too.
 */

import { type AccountClaims, accountUser, type BoundRef, readAccountClaims } from '../../apis/accounts/claims.ts';
import { LEGACY_ISSUER, legacyClaims } from '../../apis/accounts/legacy.ts';
import { fromStored } from '../../apis/stored.ts';
import { audiencesOf, jwtTimeProblem, type ParsedJwt, parseJwt } from '../../machinery/jwt.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import type { Store } from '../../ports/object-store.ts';
import type { Signer, VerifySignature } from '../../ports/signer.ts';
import type { Clock } from '../../ports/system.ts';
import type { TokenCheck, TokenOutcome } from './chain.ts';
import { CLOCK_LEEWAY_MS, TOKEN_CACHE_ENTRIES_MAX, TOKEN_CACHE_MS } from './limits.ts';

type Deps = {
  store: { objects: Pick<Store['objects'], 'get'>; lanes: Pick<Store['lanes'], 'onCommit'> };
  clock: Pick<Clock, 'now'>;
  issuer: string;
  /** Audiences of this API server: those of tokens that name none. */
  audiences: readonly string[];
  signer: Pick<Signer, 'publicKeys'>;
  verify: VerifySignature;
};

type Kept = { outcome: TokenOutcome; until: number; generation: number };
type Verified = { claims: JsonObject; account: AccountClaims; isLegacy: boolean; token: string };

const refused = (why: string): TokenOutcome => ({ type: 'refused', why });

/** Scopes whose every change makes everything that is remembered doubtful. Pods and nodes change all the time: for them the cache's time holds. */
const WATCHED = ['/serviceaccounts', '/secrets'];

/** The check for tokens of this issuer. A token of another issuer is `unknown`. */
export function serviceAccountTokens(deps: Deps): TokenCheck {
  const kept = new Map<string, Kept>();
  let generation = 0;
  deps.store.lanes.onCommit((scopes) => {
    if (WATCHED.some((scope) => scopes.includes(scope))) generation += 1;
  });
  return async (token, audiences) => {
    const parsed = parseJwt(token);
    const issuer = parsed?.claims.iss;
    if (!parsed || (issuer !== deps.issuer && issuer !== LEGACY_ISSUER)) return { type: 'unknown' };
    const key = `${audiences.join(' ')}\n${token}`;
    const now = deps.clock.now();
    const known = kept.get(key);
    if (known && known.generation === generation && now < known.until) return known.outcome;
    const at = generation;
    const outcome = await checkToken(deps, token, parsed, audiences);
    if (outcome.type !== 'known') return outcome;
    if (kept.size >= TOKEN_CACHE_ENTRIES_MAX) kept.clear();
    // Refusals are not kept: an account that is made now may be used now.
    kept.set(key, { outcome, until: Math.min(now + TOKEN_CACHE_MS, expiryMs(parsed.claims)), generation: at });
    return outcome;
  };
}

function expiryMs({ exp }: JsonObject): number {
  return typeof exp === 'number' ? exp * 1000 + CLOCK_LEEWAY_MS : Number.POSITIVE_INFINITY;
}

async function checkToken(deps: Deps, token: string, parsed: ParsedJwt, audiences: readonly string[]): Promise<TokenOutcome> {
  // Every complaint before the signature holds sounds the same: whoever guesses learns nothing.
  const key = deps.signer.publicKeys().find(({ kid, alg }) => alg === parsed.header.alg && kid === parsed.header.kid);
  if (!key || !deps.verify(key, parsed.signed, parsed.signature)) return refused('invalid bearer token');
  const isLegacy = parsed.claims.iss === LEGACY_ISSUER;
  const named = audiencesOf(parsed.claims);
  const own = named.length === 0 ? deps.audiences : named;
  const common = own.filter((audience) => audiences.includes(audience));
  if (common.length === 0)
    return refused(`token audiences ${quoted(own)} is invalid for the target audiences ${quoted(audiences)}`);
  const account = isLegacy ? legacyClaims(parsed.claims) : readAccountClaims(parsed.claims);
  if (!account) return refused('invalid bearer token');
  const why = await whyNot(deps, { claims: parsed.claims, account, isLegacy, token });
  return why === undefined ? { type: 'known', user: accountUser(account), audiences: common } : refused(why);
}

function quoted(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

const TIME_PROBLEMS = {
  expired: 'service account token has expired',
  notYet: 'service account token is not valid yet',
  issuedLater: 'service account token is issued in the future',
} as const;

/** Why the token holds no longer; undefined when it does. */
async function whyNot(deps: Deps, verified: Verified): Promise<string | undefined> {
  const { claims, account } = verified;
  const problem = jwtTimeProblem(claims, deps.clock.now(), CLOCK_LEEWAY_MS);
  if (problem) return TIME_PROBLEMS[problem];
  const { namespace } = account;
  const owner = await read(deps, '/serviceaccounts', namespace, account.account.name);
  if (!owner) return `serviceaccounts ${JSON.stringify(account.account.name)} not found`;
  if (owner.metadata.uid !== account.account.uid)
    return `service account UID (${owner.metadata.uid}) does not match claim (${account.account.uid})`;
  if (isGone(deps, owner)) return `service account ${namespace}/${account.account.name} has been deleted`;
  if (account.secret) return whyNotSecret(deps, verified, account.secret);
  if (account.pod) return whyNotBound(deps, account.pod, namespace, 'pod');
  // With a pod, the node is only told; alone, it is what the token is bound to.
  return account.node ? whyNotBound(deps, account.node, '', 'node') : undefined;
}

async function whyNotSecret(deps: Deps, verified: Verified, ref: BoundRef): Promise<string | undefined> {
  const secret = await read(deps, '/secrets', verified.account.namespace, ref.name);
  if (!secret || isGone(deps, secret)) return 'service account token has been invalidated';
  if (!verified.isLegacy)
    return secret.metadata.uid === ref.uid
      ? undefined
      : `secret UID (${secret.metadata.uid}) does not match service account secret ref claim (${ref.uid})`;
  // A Secret's token is good while it is the one that the Secret holds.
  const held: unknown = secret.data?.token;
  const isSame = typeof held === 'string' && Buffer.from(held, 'base64').toString('utf8') === verified.token;
  return isSame ? undefined : 'service account token has been invalidated';
}

async function whyNotBound(deps: Deps, ref: BoundRef, namespace: string, kind: 'pod' | 'node'): Promise<string | undefined> {
  const bound = await read(deps, kind === 'pod' ? '/pods' : '/nodes', namespace, ref.name);
  if (!bound || isGone(deps, bound)) return 'service account token has been invalidated';
  if (bound.metadata.uid === ref.uid) return undefined;
  return `${kind} UID (${bound.metadata.uid}) does not match service account ${kind} ref claim (${ref.uid})`;
}

async function read({ store }: Deps, scope: string, namespace: string, name: string): Promise<KubeObject | undefined> {
  const stored = await store.objects.get({ scope, namespace, name });
  return stored && fromStored(stored);
}

/** Deletion counts a minute after it was asked for: what ends in order may still use its token. */
function isGone({ clock }: Deps, { metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < clock.now() - CLOCK_LEEWAY_MS;
}
