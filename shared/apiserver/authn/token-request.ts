/** `serviceaccounts/token`: a token for an account, for a while, for somebody, bound to an object if asked (pkg/registry/core/serviceaccount/storage/token.go). */

import { type AccountClaims, accountUsername, type BoundRef, privateClaims } from '../../apis/accounts/claims.ts';
import { fromStored } from '../../apis/stored.ts';
import { joinJwt, jwtSigningInput } from '../../machinery/jwt.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { parseApiVersion } from '../../machinery/resource.ts';
import { badRequest, conflict, type InvalidField, invalid, notFound } from '../../machinery/status.ts';
import { formatTime } from '../../machinery/time.ts';
import type { Store } from '../../ports/object-store.ts';
import type { Clock, Ids } from '../../ports/system.ts';
import { isJsonObject } from '../http/body.ts';
import type { ServiceAccountIssuer, View } from '../server.ts';
import { TOKEN_SECONDS_DEFAULT, TOKEN_SECONDS_MAX, TOKEN_SECONDS_MIN } from './limits.ts';

type Deps = {
  store: { objects: Pick<Store['objects'], 'get'> };
  clock: Pick<Clock, 'now'>;
  ids: Pick<Ids, 'uid'>;
  issuer: ServiceAccountIssuer;
};

type Spec = { audiences: string[]; expirationSeconds: number; boundObjectRef?: JsonObject };
type Bindings = Pick<AccountClaims, 'pod' | 'secret' | 'node'>;

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };

/** The view behind POST. Answers 201 with the request and its `status`; nothing is stored. */
export function tokenRequestView(deps: Deps): View {
  return async ({ attributes, body }) => {
    const { namespace, name } = attributes;
    const request: KubeObject = body ?? { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: {} };
    refuseOther(request, namespace, name);
    const account = await read(deps, 'serviceaccounts', namespace, name);
    refuseOtherUid(request, name, account.metadata.uid ?? '');
    const spec = readSpec(request, deps.issuer.audiences);
    const bindings = spec.boundObjectRef ? await bind(deps, spec.boundObjectRef, namespace, name) : {};
    const now = deps.clock.now();
    const claims: AccountClaims = {
      namespace,
      account: { name, uid: account.metadata.uid ?? '' },
      id: deps.ids.uid(),
      ...bindings,
    };
    const token = await issue(deps.issuer, claims, spec, now);
    const status = { token, expirationTimestamp: formatTime(now + spec.expirationSeconds * 1000) };
    const metadata = { ...request.metadata, name, namespace, uid: claims.account.uid, creationTimestamp: formatTime(now) };
    return { code: 201, object: { ...request, metadata, spec: { ...spec, ...noReference(spec) }, status } };
  };
}

/** Go prints the absent reference of this kind as null. */
function noReference(spec: Spec): { boundObjectRef?: null } {
  return spec.boundObjectRef ? {} : { boundObjectRef: null };
}

async function issue(issuer: ServiceAccountIssuer, claims: AccountClaims, spec: Spec, now: number): Promise<string> {
  const { signer } = issuer;
  const seconds = Math.floor(now / 1000);
  const input = jwtSigningInput(
    { alg: signer.algorithm, kid: signer.keyId },
    {
      aud: spec.audiences,
      exp: seconds + spec.expirationSeconds,
      iat: seconds,
      iss: issuer.issuer,
      jti: claims.id,
      'kubernetes.io': privateClaims(claims),
      nbf: seconds,
      sub: accountUsername(claims.namespace, claims.account.name),
    },
  );
  return joinJwt(input, await signer.sign(Buffer.from(input)));
}

function refuseOther({ metadata }: KubeObject, namespace: string, name: string): void {
  const refuse = (field: string, value: string, what: string) => {
    const detail = `Invalid value: ${JSON.stringify(value)}: must match the service account ${what} if specified`;
    throw invalid(KIND, name, [{ type: 'Invalid', field: `metadata.${field}`, detail }]);
  };
  if (metadata.name && metadata.name !== name) refuse('name', metadata.name, 'name');
  if (metadata.namespace && metadata.namespace !== namespace) refuse('namespace', metadata.namespace, 'namespace');
}

function refuseOtherUid({ metadata }: KubeObject, name: string, uid: string): void {
  if (!metadata.uid || metadata.uid === uid) return;
  const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
  throw conflict({ group: KIND.group, resource: KIND.kind }, name, why);
}

function readSpec({ spec }: KubeObject, defaultAudiences: readonly string[]): Spec {
  const given: JsonObject = isJsonObject(spec) ? spec : {};
  const audiences = Array.isArray(given.audiences) ? given.audiences.filter((each) => typeof each === 'string') : [];
  const seconds = Number(given.expirationSeconds ?? TOKEN_SECONDS_DEFAULT);
  if (!Number.isInteger(seconds)) throw badRequest('spec.expirationSeconds must be an integer');
  const errors: InvalidField[] = [];
  const refuse = (why: string) =>
    errors.push({
      type: 'Invalid',
      field: 'spec.expirationSeconds',
      detail: `Invalid value: ${given.expirationSeconds}: ${why}`,
    });
  if (seconds < TOKEN_SECONDS_MIN) refuse('may not specify a duration less than 10 minutes');
  if (seconds > TOKEN_SECONDS_MAX) refuse('may not specify a duration larger than 2^32 seconds');
  if (errors.length > 0) throw invalid(KIND, '', errors);
  const ref = given.boundObjectRef;
  return {
    audiences: audiences.length > 0 ? audiences : [...defaultAudiences],
    expirationSeconds: seconds,
    ...(isJsonObject(ref) ? { boundObjectRef: ref } : {}),
  };
}

/** Finds what the token is to be bound to; it must be what the reference says. */
async function bind(deps: Deps, ref: JsonObject, namespace: string, account: string): Promise<Bindings> {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const { group, version } = parseApiVersion(text(ref.apiVersion));
  const kind = text(ref.kind);
  const name = text(ref.name);
  const found = async (plural: string, where: string): Promise<{ object: KubeObject; bound: BoundRef }> => {
    const object = await read(deps, plural, where, name);
    const uid = object.metadata.uid ?? '';
    const wanted = text(ref.uid);
    if (wanted !== '' && wanted !== uid)
      throw conflict(
        { group: '', resource: kind },
        name,
        `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`,
      );
    return { object, bound: { name, uid } };
  };
  if (group === '' && kind === 'Secret') return { secret: (await found('secrets', namespace)).bound };
  if (group === '' && kind === 'Node') return { node: (await found('nodes', '')).bound };
  if (group !== '' || kind !== 'Pod') throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const { object, bound } = await found('pods', namespace);
  if (object.spec?.serviceAccountName !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  const node = text(object.spec?.nodeName);
  return { pod: bound, ...(node === '' ? {} : { node: await nodeOf(deps, node) }) };
}

/** The node of a pod is named even where it is gone. */
async function nodeOf({ store }: Deps, name: string): Promise<BoundRef> {
  const stored = await store.objects.get({ scope: '/nodes', namespace: '', name });
  return { name, uid: stored?.uid ?? '' };
}

async function read({ store }: Deps, plural: string, namespace: string, name: string): Promise<KubeObject> {
  const stored = await store.objects.get({ scope: `/${plural}`, namespace, name });
  if (!stored) throw notFound({ group: '', resource: plural }, name);
  return fromStored(stored);
}
