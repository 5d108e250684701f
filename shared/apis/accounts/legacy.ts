/** Tokens that lie in Secrets of type kubernetes.io/service-account-token: without an end, good while the Secret holds them. Pure. */

import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { type AccountClaims, accountUsername } from './claims.ts';

/** `iss` of such tokens. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

const CLAIM = 'kubernetes.io/serviceaccount';

/** Claims of the token of a ServiceAccount that lies in one of its Secrets. */
export function legacyTokenClaims(account: KubeObject, secret: string): JsonObject {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  return {
    iss: LEGACY_ISSUER,
    [`${CLAIM}/namespace`]: namespace,
    [`${CLAIM}/secret.name`]: secret,
    [`${CLAIM}/service-account.name`]: name,
    [`${CLAIM}/service-account.uid`]: uid,
    sub: accountUsername(namespace, name),
  };
}

/** Reads the claims; undefined when they name no account or no Secret. The Secret's uid is not among them. */
export function legacyClaims(claims: JsonObject): AccountClaims | undefined {
  const text = (name: string) => {
    const value = claims[`${CLAIM}/${name}`];
    return typeof value === 'string' ? value : '';
  };
  const namespace = text('namespace');
  const name = text('service-account.name');
  const secret = text('secret.name');
  if (namespace === '' || name === '' || secret === '') return undefined;
  if (claims.sub !== accountUsername(namespace, name)) return undefined;
  return { namespace, account: { name, uid: text('service-account.uid') }, secret: { name: secret, uid: '' }, id: '' };
}
