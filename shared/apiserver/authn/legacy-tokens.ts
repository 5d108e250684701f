/** Tokens that lie in Secrets of type kubernetes.io/service-account-token: without an end, good while the Secret holds them. */

import { joinJwt, jwtSigningInput } from '../../machinery/jwt.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import type { Signer } from '../../ports/signer.ts';
import { type AccountClaims, accountUsername } from './account-claims.ts';

/** `iss` of such tokens. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';

const CLAIM = 'kubernetes.io/serviceaccount';

/** The token of a ServiceAccount for one of its Secrets. Rejects when the keeper of the key does not answer. */
export async function legacyToken(signer: Signer, account: KubeObject, secret: KubeObject): Promise<string> {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  const claims = {
    iss: LEGACY_ISSUER,
    [`${CLAIM}/namespace`]: namespace,
    [`${CLAIM}/secret.name`]: secret.metadata.name ?? '',
    [`${CLAIM}/service-account.name`]: name,
    [`${CLAIM}/service-account.uid`]: uid,
    sub: accountUsername(namespace, name),
  };
  const input = jwtSigningInput({ alg: signer.algorithm, kid: signer.keyId }, claims);
  return joinJwt(input, await signer.sign(Buffer.from(input)));
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
