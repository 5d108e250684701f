/** Acting as somebody else, by headers, for those who may (k8s.io/apiserver/pkg/endpoints/filters/impersonation). */

import { AUTHENTICATED, accountGroups, splitAccountUsername } from '../../apis/accounts/claims.ts';
import { badRequest } from '../../machinery/status.ts';
import type { Connection, RequestAttributes, User } from '../server.ts';
import { ANONYMOUS } from './chain.ts';
import { IMPERSONATED_VALUES_MAX } from './limits.ts';

/** One thing that the headers ask to be, and the right that it takes. */
type Claim = { kind: 'user' | 'account' | 'group' | 'extra' | 'uid'; value: string; key: string; attributes: RequestAttributes };

const PREFIX = 'impersonate-';
const EXTRA_PREFIX = 'impersonate-extra-';
const UNAUTHENTICATED = 'system:unauthenticated';

/** Values of the impersonation headers, one entry per header line, names in lower case. Undefined when there are none: nearly always. */
export function impersonationHeaders(request: Request, connection: Connection | undefined): [string, string][] | undefined {
  const found = connection?.rawHeaders ? fromPairs(connection.rawHeaders) : fromHeaders(request.headers);
  return found.length === 0 ? undefined : found;
}

function fromPairs(pairs: readonly string[]): [string, string][] {
  const found: [string, string][] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) {
    const name = pairs[i] ?? '';
    // Told by its first letter first: this runs for every header of every request.
    if ((name.charCodeAt(0) | 32) !== 105) continue;
    const lower = name.toLowerCase();
    if (lower.startsWith(PREFIX)) found.push([lower, pairs[i + 1] ?? '']);
  }
  return found;
}

/** Without raw headers a value that holds a comma and a space cannot be told from two values. */
function fromHeaders(headers: Headers): [string, string][] {
  const found: [string, string][] = [];
  for (const [name, value] of headers)
    if (name.startsWith(PREFIX)) for (const each of value.split(', ')) found.push([name, each]);
  return found;
}

/**
 * The user whom the headers ask for; undefined when they ask for nobody. `requireAllowed` is asked for each part and throws 403. Throws 400 for headers that say nothing about a user,
 * or too much.
 */
export async function impersonate(
  requestor: User,
  headers: readonly (readonly [string, string])[],
  requireAllowed: (attributes: RequestAttributes) => Promise<unknown>,
): Promise<User | undefined> {
  if (headers.length > IMPERSONATED_VALUES_MAX) throw badRequest(`more than ${IMPERSONATED_VALUES_MAX} impersonation headers`);
  const claims = claimsOf(requestor, headers);
  if (claims.length === 0) return undefined;
  for (const { attributes } of claims) await requireAllowed(attributes);
  return userOf(claims);
}

function claimsOf(requestor: User, headers: readonly (readonly [string, string])[]): Claim[] {
  const first = (name: string) => headers.find(([header]) => header === name)?.[1] ?? '';
  const ask = (resource: string, group: string, rest: Partial<RequestAttributes>): RequestAttributes => ({
    ...{ user: requestor, verb: 'impersonate', group, version: 'v1', resource, subresource: '', namespace: '', name: '' },
    ...rest,
  });
  const claims: Claim[] = [];
  const username = first('impersonate-user');
  if (username !== '') claims.push(userClaim(username, ask));
  for (const [header, value] of headers)
    if (header === 'impersonate-group')
      claims.push({ kind: 'group', value, key: '', attributes: ask('groups', '', { name: value }) });
  for (const [header, value] of headers)
    if (header.startsWith(EXTRA_PREFIX)) {
      const key = unescapeKey(header.slice(EXTRA_PREFIX.length));
      const attributes = ask('userextras', 'authentication.k8s.io', { subresource: key, name: value });
      claims.push({ kind: 'extra', value, key, attributes });
    }
  const uid = first('impersonate-uid');
  if (uid !== '')
    claims.push({ kind: 'uid', value: uid, key: '', attributes: ask('uids', 'authentication.k8s.io', { name: uid }) });
  if (username === '' && claims.length > 0) throw badRequest(`requested ${describe(claims)} without impersonating a user`);
  return claims;
}

type Ask = (resource: string, group: string, rest: Partial<RequestAttributes>) => RequestAttributes;

function userClaim(username: string, ask: Ask): Claim {
  const account = splitAccountUsername(username);
  if (account)
    return { kind: 'account', value: username, key: account.namespace, attributes: ask('serviceaccounts', '', account) };
  return { kind: 'user', value: username, key: '', attributes: ask('users', '', { name: username }) };
}

/** Extra keys may be percent-encoded, for they may hold what header names cannot. What is no encoding stays as it is. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** In Go's print of object references, as upstream words it. */
function describe(claims: readonly Claim[]): string {
  const kinds = { user: 'User', account: 'ServiceAccount', group: 'Group', extra: 'UserExtra', uid: 'UID' } as const;
  const texts = claims.map(({ kind, value, key, attributes }) => {
    const version = attributes.group === '' ? '' : `${attributes.group}/v1`;
    return `{${kinds[kind]}  ${value}  ${version}  ${kind === 'extra' ? key : ''}}`;
  });
  return `[${texts.join(' ')}]`;
}

function userOf(claims: readonly Claim[]): User {
  const valuesOf = (kind: Claim['kind']) => claims.filter((claim) => claim.kind === kind).map(({ value }) => value);
  const account = claims.find(({ kind }) => kind === 'account');
  const name = account?.value ?? valuesOf('user')[0] ?? '';
  const asked = valuesOf('group');
  const groups = asked.length === 0 && account ? accountGroups(account.key) : asked;
  const extra: Record<string, string[]> = {};
  for (const { kind, key, value } of claims) if (kind === 'extra') extraOf(extra, key).push(value);
  const [uid] = valuesOf('uid');
  return {
    name,
    ...(uid === undefined ? {} : { uid }),
    groups: withSystemGroup(name, groups),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

/** An own member even for keys such as `__proto__`. */
function extraOf(extra: Record<string, string[]>, key: string): string[] {
  if (!Object.hasOwn(extra, key))
    Object.defineProperty(extra, key, { value: [], enumerable: true, configurable: true, writable: true });
  return extra[key] as string[];
}

/** Whoever is impersonated counts as authenticated, unless the headers say how he counts. */
function withSystemGroup(name: string, groups: readonly string[]): readonly string[] {
  if (name === ANONYMOUS.name) return groups.includes(UNAUTHENTICATED) ? groups : [...groups, UNAUTHENTICATED];
  return groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED) ? groups : [...groups, AUTHENTICATED];
}
