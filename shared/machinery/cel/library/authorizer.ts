/**
 * The authorizer of admission policies (k8s.io/apiserver/pkg/cel/library/authz.go). Decisions are asked for elsewhere, because asking waits: an
 * expression that needs one that is not there yet ends with what it needs, and is evaluated again.
 */
import { member, type Overload } from '../functions.ts';
import { sizeOf } from '../operators.ts';
import { type CelOpaque, type CelValue, fail, opaque } from '../values.ts';

/** What a check asks. Empty texts where nothing is said. */
export type AuthorizationCheck = {
  verb: string;
  /** Set for checks of a path that names no resource. */
  path?: string;
  group: string;
  resource: string;
  subresource: string;
  namespace: string;
  name: string;
  fieldSelector: string;
  labelSelector: string;
  /** `namespace/name` when a ServiceAccount is asked about, instead of whoever makes the request. */
  serviceAccount?: string;
};

export type AuthorizationDecision = { allowed: boolean; reason: string; error?: string };

/** Gives a decision that is known; undefined: it must be asked for first. */
export type Decide = (check: AuthorizationCheck) => AuthorizationDecision | undefined;

/** Thrown through an evaluation that needs a decision. */
export type NeedsDecision = { fault: string; exceeded: true; needs: AuthorizationCheck };

export function isNeedsDecision(error: unknown): error is NeedsDecision {
  return typeof error === 'object' && error !== null && 'needs' in error;
}

const PREFIX = 'kubernetes.authorization.';
export const AUTHORIZER = `${PREFIX}Authorizer`;
const PATH = `${PREFIX}PathCheck`;
const GROUP = `${PREFIX}GroupCheck`;
export const RESOURCE = `${PREFIX}ResourceCheck`;
const DECISION = `${PREFIX}Decision`;

type Check = { decide: Decide; check: AuthorizationCheck };

const NOTHING: AuthorizationCheck = {
  verb: '',
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: '',
  labelSelector: '',
};

/** The variable `authorizer`. */
export function authorizerValue(decide: Decide): CelValue {
  return opaque(AUTHORIZER, { decide, check: NOTHING } satisfies Check);
}

/** The variable `authorizer.requestResource`. */
export function resourceCheckValue(decide: Decide, about: Partial<AuthorizationCheck>): CelValue {
  return opaque(RESOURCE, { decide, check: { ...NOTHING, ...about } } satisfies Check);
}

function narrowed(value: CelValue, type: string, about: Partial<AuthorizationCheck>): CelValue {
  const { decide, check } = (value as CelOpaque).data as Check;
  return opaque(type, { decide, check: { ...check, ...about } } satisfies Check);
}

function ask(value: CelValue, verb: CelValue): CelValue {
  const { decide, check } = (value as CelOpaque).data as Check;
  const asked = { ...check, verb: verb as string };
  const decision = decide(asked);
  if (!decision) throw { fault: 'a decision is needed', exceeded: true, needs: asked } satisfies NeedsDecision;
  return opaque(DECISION, decision);
}

const decisionOf = (value: CelValue): AuthorizationDecision => (value as CelOpaque).data as AuthorizationDecision;

/** Upstream's price: two checks and little else fit into one expression. */
const CHECK_COST = 350_000;
const selectorCost = (_check: CelValue = null, text: CelValue = null): number => 10 + Math.ceil(sizeOf(text) * (0.1 + 0.5 * 50));

const narrow = (name: keyof AuthorizationCheck, cost?: Overload['cost']): Overload =>
  member(name, `${RESOURCE}, string`, RESOURCE, (check, text) => narrowed(check, RESOURCE, { [name]: text }), cost);

function serviceAccount(value: CelValue, namespace: CelValue, name: CelValue): CelValue {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace as string)) return fail('Invalid service account namespace');
  if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name as string)) return fail('Invalid service account name');
  return narrowed(value, AUTHORIZER, { serviceAccount: `${namespace}/${name}` });
}

export const AUTHORIZATION: readonly Overload[] = [
  member('path', `${AUTHORIZER}, string`, PATH, (value, path) =>
    path === '' ? fail('path must not be empty') : narrowed(value, PATH, { path: path as string }),
  ),
  member('group', `${AUTHORIZER}, string`, GROUP, (value, group) => narrowed(value, GROUP, { group: group as string })),
  member('serviceAccount', `${AUTHORIZER}, string, string`, AUTHORIZER, serviceAccount),
  member('resource', `${GROUP}, string`, RESOURCE, (value, resource) =>
    narrowed(value, RESOURCE, { resource: resource as string }),
  ),
  narrow('subresource'),
  narrow('namespace'),
  narrow('name'),
  narrow('fieldSelector', selectorCost),
  narrow('labelSelector', selectorCost),
  ...[PATH, RESOURCE].map((type) => member('check', `${type}, string`, DECISION, ask, () => CHECK_COST)),
  member('errored', DECISION, 'bool', (value) => decisionOf(value).error !== undefined),
  member('error', DECISION, 'string', (value) => decisionOf(value).error ?? ''),
  member('allowed', DECISION, 'bool', (value) => decisionOf(value).allowed),
  member('reason', DECISION, 'string', (value) => decisionOf(value).reason),
];
