/** Which names a CustomResourceDefinition gets, and what its conditions say of it (apiextensions' naming and establishing controllers). Pure. */
import type { Condition, KubeObject } from '../../machinery/object.ts';
import { type CrdNames, type CrdStatus, crdCondition, isCrdCondition, specOf, statusOf } from './crd.ts';

/** A condition without its time. */
export type WantedCondition = Required<Pick<Condition, 'type' | 'status' | 'reason' | 'message'>>;

const PROTECTED_GROUP = /(?:^|\.)(?:k8s|kubernetes)\.io$/;
const APPROVAL = 'api-approved.kubernetes.io';

/**
 * The status that a definition is to have beside the `others` of its group: names that nobody else holds are accepted, and with the first
 * full acceptance the definition is established, for good. `time`: RFC 3339, for conditions that change.
 */
export function namedStatus(crd: KubeObject, others: readonly KubeObject[], time: string): CrdStatus {
  const status = statusOf(crd);
  const { accepted, conflict } = acceptNames(crd, others);
  const names: WantedCondition = {
    type: 'NamesAccepted',
    status: conflict ? 'False' : 'True',
    reason: conflict?.reason ?? 'NoConflicts',
    message: conflict?.message ?? 'no conflicts found',
  };
  let conditions = withCondition(status.conditions ?? [], names, time);
  if (!isCrdCondition(crd, 'Established')) conditions = withCondition(conditions, established(conflict === undefined), time);
  const approval = approvalCondition(crd);
  if (approval) conditions = withCondition(conditions, approval, time);
  return { ...status, acceptedNames: accepted, conditions };
}

/** The same conditions with one set; its time stays where the status does. */
export function withCondition(conditions: readonly Condition[], wanted: WantedCondition, time: string): Condition[] {
  const old = conditions.find(({ type }) => type === wanted.type);
  const { type, status, reason, message } = wanted;
  const lastTransitionTime = old?.status === status ? (old.lastTransitionTime ?? time) : time;
  const next: Condition = { lastTransitionTime, message, reason, status, type };
  return old ? conditions.map((each) => (each === old ? next : each)) : [...conditions, next];
}

function established(isAccepted: boolean): WantedCondition {
  return isAccepted
    ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

type Conflict = { reason: string; message: string };

function acceptNames(crd: KubeObject, others: readonly KubeObject[]): { accepted: CrdNames; conflict: Conflict | undefined } {
  const wanted = specOf(crd).names;
  const held: CrdNames = statusOf(crd).acceptedNames ?? { plural: '', kind: '' };
  const claims = others.map((other) => claimedBy(other, crd)).filter((names) => names !== undefined);
  const resources = new Set(claims.flatMap(({ plural, singular = '', shortNames = [] }) => [plural, singular, ...shortNames]));
  const kinds = new Set(claims.flatMap(({ kind, listKind = '' }) => [kind, listKind]));
  const accepted: CrdNames = { ...held };
  let conflict: Conflict | undefined;
  const take = (field: 'plural' | 'singular' | 'kind' | 'listKind', used: ReadonlySet<string>, reason: string) => {
    const name = wanted[field] ?? '';
    if (name === held[field] || name === '' || !used.has(name)) accepted[field] = name;
    else conflict = { reason, message: `${JSON.stringify(name)} is already in use` };
  };
  take('plural', resources, 'PluralConflict');
  take('singular', resources, 'SingularConflict');
  const taken = (wanted.shortNames ?? []).filter((name) => !held.shortNames?.includes(name) && resources.has(name));
  if (taken.length > 0) conflict = { reason: 'ShortNamesConflict', message: aggregate(taken) };
  else setList(accepted, 'shortNames', wanted.shortNames);
  take('kind', kinds, 'KindConflict');
  take('listKind', kinds, 'ListKindConflict');
  setList(accepted, 'categories', wanted.categories);
  return { accepted, conflict };
}

function setList(names: CrdNames, field: 'shortNames' | 'categories', list: string[] | undefined): void {
  if (list !== undefined && list.length > 0) names[field] = list;
  else delete names[field];
}

/** Several errors as Go joins them. */
function aggregate(names: readonly string[]): string {
  const messages = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(', ')}]`;
}

/**
 * What another definition of the group holds. One that nobody has named yet holds what it asks for if it is older: two that are named at the
 * same moment must not both get a name.
 */
function claimedBy(other: KubeObject, crd: KubeObject): CrdNames | undefined {
  if (other.metadata.uid === crd.metadata.uid || specOf(other).group !== specOf(crd).group) return undefined;
  if (crdCondition(other, 'NamesAccepted') !== undefined) return statusOf(other).acceptedNames;
  if (crdCondition(crd, 'NamesAccepted') !== undefined) return undefined;
  return ageOf(other) < ageOf(crd) ? specOf(other).names : undefined;
}

const ageOf = ({ metadata }: KubeObject): string => `${metadata.creationTimestamp ?? ''} ${metadata.uid ?? ''}`;

/** Groups of the Kubernetes community: whether the API was approved, and where that is written. */
function approvalCondition(crd: KubeObject): WantedCondition | undefined {
  if (!PROTECTED_GROUP.test(specOf(crd).group)) return undefined;
  const type = 'KubernetesAPIApprovalPolicyConformant';
  const { state, reason } = approvalOf(crd);
  if (state === 'approved') return { type, status: 'True', reason: 'ApprovedAnnotation', message: reason };
  const names = { missing: 'MissingAnnotation', invalid: 'InvalidAnnotation', unapproved: 'UnapprovedAnnotation' };
  return { type, status: 'False', reason: names[state], message: reason };
}

/** Is the group one of the Kubernetes community's (`*.k8s.io`, `*.kubernetes.io`)? Its definitions need an approval annotation. */
export function isProtectedGroup(group: string): boolean {
  return PROTECTED_GROUP.test(group);
}

/** What the annotation `api-approved.kubernetes.io` says; `reason` in upstream's words. */
export function approvalOf({ metadata }: KubeObject): {
  state: 'approved' | 'unapproved' | 'missing' | 'invalid';
  reason: string;
} {
  const text = metadata.annotations?.[APPROVAL] ?? '';
  if (text === '')
    return {
      state: 'missing',
      reason: `protected groups must have approval annotation "${APPROVAL}", see https://github.com/kubernetes/enhancements/pull/1111`,
    };
  if (text.startsWith('unapproved')) return { state: 'unapproved', reason: `not approved: ${JSON.stringify(text)}` };
  if (!URL.canParse(text))
    return {
      state: 'invalid',
      reason: `protected groups must have approval annotation "${APPROVAL}" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`,
    };
  return { state: 'approved', reason: `approved in ${text}` };
}
