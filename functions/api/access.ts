/** Who is let in and what each may, put together for one API server: the same for `dev`, for members and on AWS. */
import { createAuthenticate, type TokenCheck, tokenChain } from '../../shared/apiserver/authn/chain.ts';
import { serviceAccountTokens } from '../../shared/apiserver/authn/service-accounts.ts';
import { createRbacAuthorizer } from '../../shared/apiserver/authz/rbac.ts';
import type { ApiServerDeps } from '../../shared/apiserver/server.ts';
import { guardStore } from '../../shared/apiserver/store.ts';
import type { Store } from '../../shared/ports/object-store.ts';
import type { Signer, VerifySignature } from '../../shared/ports/signer.ts';
import type { Clock, Log } from '../../shared/ports/system.ts';
import { createRbacLoader } from './rbac-view.ts';

/** `iss` and audience of tokens where nobody says otherwise: kubeadm's. */
export const DEFAULT_ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Roles and bindings that another process changed count after this long. */
const RBAC_AGE_MS = 5_000;

export type AccessOptions = {
  store: Pick<Store, 'objects' | 'lanes'>;
  clock: Clock;
  log: Log;
  signer: Signer;
  verify: VerifySignature;
  /** Tokens beside those of ServiceAccounts, tried first: fixed ones, an OpenID provider's. */
  checks: readonly TokenCheck[];
  /** `iss` of ServiceAccount tokens, and the audience that this server takes. */
  issuer?: string;
};

/** What an API server needs to know who asks and whether he may. */
export type Access = Required<Pick<ApiServerDeps, 'authenticate' | 'authorize' | 'reviewToken' | 'rbac' | 'serviceAccounts'>>;

/** Role-based access over the store's own roles, bearer tokens, and ServiceAccount tokens signed by `signer`. Anonymous is whoever shows nothing. */
export function createAccess(options: AccessOptions): Access {
  const { clock, log, signer, verify, issuer = DEFAULT_ISSUER } = options;
  const store = guardStore(options.store, log);
  const audiences = [issuer];
  const checks = [...options.checks, serviceAccountTokens({ store, clock, issuer, audiences, signer, verify })];
  const rbac = createRbacLoader({ store, clock, log, maxAgeMs: RBAC_AGE_MS });
  return {
    authenticate: createAuthenticate({ audiences, checks, anonymous: true }),
    authorize: createRbacAuthorizer({ load: rbac }),
    reviewToken: tokenChain(checks),
    rbac,
    serviceAccounts: { issuer, audiences, signer },
  };
}
