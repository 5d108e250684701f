/** Who asks: the ways to prove it, tried in order. Nobody's secret is ever part of an answer or a log line. */

import { AUTHENTICATED } from '../../apis/accounts/claims.ts';
import type { Authenticate, Connection, User } from '../server.ts';
import { TOKEN_LENGTH_MAX } from './limits.ts';

/** What one way of checking says of a token: whose it is, that it is none of its own, or that it is its own and not good. */
export type TokenOutcome =
  | { type: 'known'; user: User; audiences: readonly string[] }
  | { type: 'unknown' }
  | { type: 'refused'; why: string };

/** Checks a bearer token for one of the audiences. Rejects only when a dependency does not answer. */
export type TokenCheck = (token: string, audiences: readonly string[]) => Promise<TokenOutcome>;

/** Who gives no credential at all. */
export const ANONYMOUS: User = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

const BEARER = /^bearer +(\S+) *$/i;
const INVALID = 'invalid bearer token';

type Options = {
  /** Audiences that a token must be for, one of them. */
  audiences: readonly string[];
  checks: readonly TokenCheck[];
  /** Is who gives no credential let in as system:anonymous? What he may is authorization's matter. */
  anonymous: boolean;
};

/** The checks as one: the first that knows the token decides; complaints of those that refused it are told together. */
export function tokenChain(checks: readonly TokenCheck[]): TokenCheck {
  return async (token, audiences) => {
    const complaints: string[] = [];
    if (token.length <= TOKEN_LENGTH_MAX)
      for (const check of checks) {
        const outcome = await check(token, audiences);
        if (outcome.type === 'known') return { ...outcome, user: authenticated(outcome.user) };
        if (outcome.type === 'refused') complaints.push(outcome.why);
      }
    const all = [...new Set([INVALID, ...complaints])];
    return { type: 'refused', why: all.length === 1 ? INVALID : `[${all.join(', ')}]` };
  };
}

/** The same user object again where nothing is to be added: what is remembered of a user hangs on it. */
function authenticated(user: User): User {
  return user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
}

/**
 * Authentication of requests: a certificate that the listener has checked, else a bearer token. A wrong credential is refused (undefined: 401), even
 * where none at all would have been let in.
 */
export function createAuthenticate({ audiences, checks, anonymous }: Options): Authenticate {
  const check = tokenChain(checks);
  return async (request, connection) => {
    const certified = certifiedUser(connection);
    if (certified) return certified;
    const header = request.headers.get('authorization');
    const token = header === null ? undefined : BEARER.exec(header)?.[1];
    if (token !== undefined) {
      const outcome = await check(token, audiences);
      return outcome.type === 'known' ? outcome.user : undefined;
    }
    // A header of another scheme is no bearer token and no credential of ours, as upstream has it.
    return anonymous ? ANONYMOUS : undefined;
  };
}

/** Common name and organizations of a certificate are user and groups. */
function certifiedUser(connection: Connection | undefined): User | undefined {
  const certificate = connection?.certificate;
  if (certificate === undefined || certificate.name === '') return undefined;
  return authenticated({ name: certificate.name, groups: certificate.groups });
}
