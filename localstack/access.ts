/** Who may use the servers of one laptop: holders of a static token, who are administrators, and whoever the server's own accounts and roles let in. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Access, createAccess, DEFAULT_ISSUER } from '../functions/api/access.ts';
import { openFileSigner } from '../shared/adapters/keys/file-signer.ts';
import { createVerifier } from '../shared/adapters/keys/verify.ts';
import { createAuthenticate, type TokenCheck } from '../shared/apiserver/authn/chain.ts';
import type { Authenticate, Authorize, User } from '../shared/apiserver/server.ts';
import type { Store } from '../shared/ports/object-store.ts';
import type { Clock, Log } from '../shared/ports/system.ts';

/** Knows the users of fixed tokens, whatever the audience. Tokens are compared by hash, in constant time. */
export function staticTokenCheck(users: ReadonlyMap<string, User>): TokenCheck {
  const known = [...users].map(([token, user]) => ({ hash: digest(token), user }));
  // Tokens that were verified once; never more than there are users, because only right ones get in.
  const verified = new Map<string, User>();
  return async (token, audiences) => {
    const seen = verified.get(token);
    if (seen) return { type: 'known', user: seen, audiences };
    const hash = digest(token);
    let found: User | undefined;
    for (const entry of known) if (timingSafeEqual(entry.hash, hash)) found = entry.user;
    if (!found) return { type: 'unknown' };
    verified.set(token, found);
    return { type: 'known', user: found, audiences };
  };
}

/** Authentication by fixed tokens alone, without anonymous requests. */
export function staticTokens(users: ReadonlyMap<string, User>): Authenticate {
  return createAuthenticate({ audiences: [DEFAULT_ISSUER], checks: [staticTokenCheck(users)], anonymous: false });
}

/** Members of system:masters may do everything, others nothing. */
export const mastersOnly: Authorize = async ({ user }) => {
  return user.groups.includes('system:masters') ? { allowed: true, reason: '' } : { allowed: false, reason: '' };
};

/** The administrator that the local kubeconfigs stand for. */
export const ADMIN: User = { name: 'lamiral-admin', groups: ['system:masters', 'system:authenticated'] };

type LocalAccess = {
  store: Pick<Store, 'objects' | 'lanes'>;
  clock: Clock;
  log: Log;
  /** The administrator's. */
  token: string;
  /** Path of the key that signs ServiceAccount tokens; made when it is missing. */
  keyPath: string;
  /** Checks beside the administrator's token. */
  checks?: readonly TokenCheck[];
};

/** Access to one local server. Rejects when the key cannot be opened. */
export async function openAccess({ store, clock, log, token, keyPath, checks = [] }: LocalAccess): Promise<Access> {
  const signer = await openFileSigner(keyPath);
  const fixed = staticTokenCheck(new Map([[token, ADMIN]]));
  return createAccess({ store, clock, log, signer, verify: createVerifier(), checks: [fixed, ...checks] });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
