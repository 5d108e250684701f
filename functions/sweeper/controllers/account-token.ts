/** Secrets of type kubernetes.io/service-account-token: filled for the account that they name, and gone with it. */
import { legacyTokenClaims } from '../../../shared/apis/accounts/legacy.ts';
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { joinJwt, jwtSigningInput } from '../../../shared/machinery/jwt.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { Signer } from '../../../shared/ports/signer.ts';
import type { Loaded } from '../../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { remove, update } from './write.ts';

const TYPE = 'kubernetes.io/service-account-token';
const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** `object` is the Secret. */
export async function reconcileAccountToken(deps: ControlDeps, object: ObjectRef): Promise<ReconcileResult> {
  const { signer } = deps;
  const secret = await deps.reader.get(object);
  if (!signer || !secret || secret.object.type !== TYPE || secret.object.metadata.deletionTimestamp)
    return done('no token Secret');
  const annotations = secret.object.metadata.annotations ?? {};
  const name = annotations[ACCOUNT_NAME] ?? '';
  if (name === '') return done('it names no account');
  const account = await deps.reader.get({ scope: '/serviceaccounts', namespace: object.namespace, name });
  const uid = annotations[ACCOUNT_UID] ?? '';
  const isWritten =
    !account || (uid !== '' && uid !== account.object.metadata.uid)
      ? await remove(deps, secret)
      : await fill(deps, signer, secret, account.object);
  return isWritten ? done('as it should be') : requeueAfter(WRITE_RETRY_MS, 'the Secret changed meanwhile');
}

async function fill(deps: ControlDeps, signer: Signer, secret: Loaded, account: KubeObject): Promise<boolean> {
  const { object, stored } = secret;
  const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64');
  const wanted = { 'ca.crt': encode(deps.caCert), namespace: encode(stored.namespace) };
  const held: string = object.data?.token ?? '';
  const annotations = { ...object.metadata.annotations, [ACCOUNT_UID]: account.metadata.uid ?? '' };
  const data = { ...object.data, ...wanted, token: held === '' ? encode(await tokenOf(signer, account, stored.name)) : held };
  return update(deps, secret, { ...object, metadata: { ...object.metadata, annotations }, data });
}

async function tokenOf(signer: Signer, account: KubeObject, secret: string): Promise<string> {
  const input = jwtSigningInput({ alg: signer.algorithm, kid: signer.keyId }, legacyTokenClaims(account, secret));
  return joinJwt(input, await signer.sign(Buffer.from(input)));
}
