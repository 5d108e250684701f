/**
 * CertificateSigningRequests: who asks is written in by the server, and who may approve or sign for a signer is asked (upstream's CertificateApproval,
 * CertificateSigning and CertificateSubjectRestriction, and the strategy's part that knows the user).
 */
import { addedVerdicts } from '../../apis/certificates/validation.ts';
import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { forbidden, invalid } from '../../machinery/status.ts';
import { formatTime } from '../../machinery/time.ts';
import type { Clock } from '../../ports/system.ts';
import type { AdmissionRequest, AdmissionStep, Authorize, User } from '../server.ts';

const RESOURCE = { group: 'certificates.k8s.io', resource: 'certificatesigningrequests' };
const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
const MASTERS = Buffer.from('system:masters');

type Deps = { clock: Clock; authorize?: Authorize };
type Condition = { type?: string; status?: string; lastUpdateTime?: string; lastTransitionTime?: string };

/** The step; it looks at writes of this kind alone. */
export function certificateRequests(deps: Deps): AdmissionStep {
  return {
    name: 'CertificateRequests',
    concerns: ({ definition, operation }) =>
      definition.group === RESOURCE.group && definition.plural === RESOURCE.resource && operation !== 'delete',
    mutate: async (request) => {
      const { object, old, operation, subresource } = request;
      if (!object) return;
      if (operation === 'create') ask(request, object);
      else if (old && subresource !== '') await judge(deps, request, object, old);
    },
  };
}

/** The request is the user's, whatever it says. */
function ask({ user, name }: AdmissionRequest, object: KubeObject): void {
  const { request, signerName } = object.spec ?? {};
  if (signerName === CLIENT_SIGNER && isForMasters(request))
    throw forbidden(RESOURCE, name, `use of ${CLIENT_SIGNER} signer with system:masters group is not allowed`);
  object.spec = { ...object.spec, ...requester(user) };
  for (const field of ['uid', 'groups', 'extra'] as const) if (requester(user)[field] === undefined) delete object.spec[field];
  delete object.status;
}

function requester({ name, uid, groups, extra }: User) {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups.length > 0 ? { groups: [...groups] } : {}),
    ...(extra ? { extra } : {}),
  };
}

/** Whether the group is written anywhere in the request: its names are not taken apart here. */
function isForMasters(request: unknown): boolean {
  if (typeof request !== 'string') return false;
  const pem = Buffer.from(request, 'base64').toString('latin1');
  const body = /-----BEGIN CERTIFICATE REQUEST-----([\s\S]+?)-----END/.exec(pem)?.[1] ?? '';
  return Buffer.from(body, 'base64').includes(MASTERS);
}

async function judge(deps: Deps, request: AdmissionRequest, object: KubeObject, old: KubeObject): Promise<void> {
  const { user, name, subresource } = request;
  const signer = String(old.spec?.signerName ?? '');
  const refuse = (what: string) =>
    forbidden(RESOURCE, name, `user not permitted to ${what} requests with signerName ${JSON.stringify(signer)}`);
  if (subresource === 'approval' && !(await may(deps, user, 'approve', signer))) throw refuse('approve');
  if (subresource === 'status') {
    const errors = addedVerdicts(object, old);
    if (errors.length > 0) throw invalid({ group: RESOURCE.group, kind: 'CertificateSigningRequest' }, name, errors);
    const isSigned = !deepEqual(object.status?.certificate ?? '', old.status?.certificate ?? '') || isFailing(object, old);
    if (isSigned && !(await may(deps, user, 'sign', signer))) throw refuse('sign');
  }
  stampConditions(object, old, formatTime(deps.clock.now()));
}

function isFailing(object: KubeObject, old: KubeObject): boolean {
  return !deepEqual(conditionsOf(object), conditionsOf(old));
}

/** The signer by name, or all of its domain. */
async function may({ authorize }: Deps, user: User, verb: string, signer: string): Promise<boolean> {
  if (!authorize) return true;
  const asked = { user, verb, group: RESOURCE.group, version: '*', resource: 'signers', subresource: '', namespace: '' };
  const names = [signer, `${signer.split('/', 1)[0]}/*`];
  for (const name of names) if ((await authorize({ ...asked, name })).allowed) return true;
  return false;
}

function conditionsOf(object: KubeObject): Condition[] {
  const conditions: unknown = object.status?.conditions;
  return Array.isArray(conditions) ? conditions.filter((each) => typeof each === 'object' && each !== null) : [];
}

/** Times that nobody gave: now, or when the same condition came to be. */
function stampConditions(object: KubeObject, old: KubeObject, now: string): void {
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ??= now;
    const same = conditionsOf(old).find(({ type, status }) => type === condition.type && status === condition.status);
    condition.lastTransitionTime ??= same?.lastTransitionTime ?? now;
  }
}
