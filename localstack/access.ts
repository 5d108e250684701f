/** Who may use the servers of one laptop: holders of a static token, all of them administrators. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Authenticate, Authorize, User } from '../shared/apiserver/server.ts';

const BEARER = /^Bearer +([^\s]+)$/i;

/** Knows the users of fixed tokens. Tokens are compared by hash, in constant time. */
export function staticTokens(users: ReadonlyMap<string, User>): Authenticate {
  const known = [...users].map(([token, user]) => ({ hash: digest(token), user }));
  // Tokens that were verified once; never more than there are users, because only right ones get in.
  const verified = new Map<string, User>();
  return async (request) => {
    const token = BEARER.exec(request.headers.get('authorization') ?? '')?.[1];
    if (token === undefined) return undefined;
    const seen = verified.get(token);
    if (seen) return seen;
    const hash = digest(token);
    let found: User | undefined;
    for (const entry of known) if (timingSafeEqual(entry.hash, hash)) found = entry.user;
    if (found) verified.set(token, found);
    return found;
  };
}

/** Members of system:masters may do everything, others nothing. */
export const mastersOnly: Authorize = async ({ user }) => {
  return user.groups.includes('system:masters') ? { allowed: true, reason: '' } : { allowed: false, reason: '' };
};

/** The administrator that the local kubeconfigs stand for. */
export const ADMIN: User = { name: 'lamiral-admin', groups: ['system:masters', 'system:authenticated'] };

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
