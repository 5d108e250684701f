/**
 * ID tokens of one OpenID provider (OpenID Connect Core 3.1.3.7; kube-apiserver's --oidc-* options). The provider may not name anybody of
 * `system:`: upstream leaves that to the prefixes, which may be switched off.
 */

import { AUTHENTICATED } from '../../apis/accounts/claims.ts';
import { audiencesOf, jwtTimeProblem, parseJwt } from '../../machinery/jwt.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';
import type { FetchDocument } from '../../ports/documents.ts';
import type { PublicKey, VerifySignature } from '../../ports/signer.ts';
import type { Clock, Log } from '../../ports/system.ts';
import type { User } from '../server.ts';
import type { TokenCheck, TokenOutcome } from './chain.ts';
import { CLOCK_LEEWAY_MS, TOKEN_CACHE_ENTRIES_MAX, TOKEN_CACHE_MS } from './limits.ts';
import { createIssuerKeys } from './oidc-keys.ts';

/** As kube-apiserver's options of the same names. */
export type OidcOptions = {
  /** https URL, as the tokens name it. */
  issuerUrl: string;
  clientId: string;
  /** Default `sub`. */
  usernameClaim?: string;
  /** Default `<issuerUrl>#`, none for the claim `email`; `-` for none. */
  usernamePrefix?: string;
  groupsClaim?: string;
  groupsPrefix?: string;
  /** Claims that a token must have, with these values. */
  requiredClaims?: Readonly<Record<string, string>>;
  /** Default RS256 alone. */
  signingAlgorithms?: readonly string[];
};

type Deps = { clock: Pick<Clock, 'now'>; log: Log; fetchDocument: FetchDocument; verify: VerifySignature };

const SYSTEM = 'system:';
const refused = (why: string): TokenOutcome => ({ type: 'refused', why: `oidc: ${why}` });

/** The check for tokens of the provider; those of other issuers are `unknown`. It must not be asked for audiences: its tokens are for `clientId`. */
export function oidcTokens(options: OidcOptions, deps: Deps): TokenCheck {
  const keys = createIssuerKeys(options, deps);
  const kept = new Map<string, { user: User; until: number }>();
  return async (token, audiences) => {
    const parsed = parseJwt(token);
    if (parsed?.claims.iss !== options.issuerUrl) return { type: 'unknown' };
    const now = deps.clock.now();
    const known = kept.get(token);
    if (known && now < known.until) return { type: 'known', user: known.user, audiences };
    const found = await keys.find(parsed.header);
    if (found.type === 'failed') return refused(found.message);
    const isSigned = found.keys.some((key: PublicKey) => deps.verify(key, parsed.signed, parsed.signature));
    if (!isSigned) return refused('failed to verify signature');
    const why = whyNot(options, parsed.claims, now);
    if (why !== undefined) return refused(why);
    const user = userOf(options, parsed.claims);
    if (typeof user === 'string') return refused(user);
    if (kept.size >= TOKEN_CACHE_ENTRIES_MAX) kept.clear();
    kept.set(token, { user, until: Math.min(now + TOKEN_CACHE_MS, Number(parsed.claims.exp) * 1000 + CLOCK_LEEWAY_MS) });
    return { type: 'known', user, audiences };
  };
}

function whyNot({ clientId, requiredClaims = {} }: OidcOptions, claims: JsonObject, now: number): string | undefined {
  if (!audiencesOf(claims).includes(clientId)) return `expected audience ${JSON.stringify(clientId)}`;
  if (typeof claims.exp !== 'number') return 'token has no expiry';
  const problem = jwtTimeProblem(claims, now, CLOCK_LEEWAY_MS);
  if (problem) return problem === 'expired' ? 'token is expired' : 'token is not valid yet';
  for (const [name, value] of Object.entries(requiredClaims))
    if (!Object.hasOwn(claims, name) || claims[name] !== value) return `required claim ${name} is missing or has another value`;
  return undefined;
}

/** The user, or why there is none. */
function userOf(options: OidcOptions, claims: JsonObject): User | string {
  const claim = options.usernameClaim ?? 'sub';
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
  if (typeof value !== 'string' || value === '') return `claim ${claim} is missing or no text`;
  if (claim === 'email' && Object.hasOwn(claims, 'email_verified') && claims.email_verified !== true) return 'email not verified';
  const name = `${usernamePrefix(options, claim)}${value}`;
  if (name.startsWith(SYSTEM)) return `user names that begin with ${SYSTEM} are not the provider's to give`;
  return { name, groups: [...groupsOf(options, claims), AUTHENTICATED] };
}

function usernamePrefix({ issuerUrl, usernamePrefix: prefix }: OidcOptions, claim: string): string {
  if (prefix === undefined || prefix === '') return claim === 'email' ? '' : `${issuerUrl}#`;
  return prefix === '-' ? '' : prefix;
}

/** A text counts as a list of one. Groups of the system are left out. */
function groupsOf({ groupsClaim, groupsPrefix = '' }: OidcOptions, claims: JsonObject): string[] {
  const value: JsonValue | undefined = groupsClaim !== undefined && Object.hasOwn(claims, groupsClaim) ? claims[groupsClaim] : [];
  const names =
    typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  return names.map((name) => `${groupsPrefix}${name}`).filter((name) => !name.startsWith(SYSTEM));
}
