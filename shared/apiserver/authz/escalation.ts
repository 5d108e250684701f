/**
 * Nobody grants what he does not hold: checks on roles and bindings beyond authorization (kubernetes/pkg/registry/rbac). Members of system:masters,
 * and who has verb `escalate` on the role or `bind` on what is bound, may.
 */
import type { RbacView, RoleRef } from '../../apis/rbac/bindings.ts';
import { missingRole } from '../../apis/rbac/bindings.ts';
import {
  describeRules,
  FULL_AUTHORITY,
  type PolicyRule,
  quoteGoList,
  readRules,
  uncoveredRules,
} from '../../apis/rbac/evaluate.ts';
import { deepEqual } from '../../machinery/equality.ts';
import { quoteGo } from '../../machinery/go-quote.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { failure, forbidden } from '../../machinery/status.ts';
import type { AdmissionRequest, AdmissionStep, Authorize, User } from '../server.ts';
import { type LoadRbac, MASTERS } from './rbac.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);

type Deps = { rbac: LoadRbac; authorize: Authorize };

/** The step; it looks at writes of the four kinds alone. */
export function rbacEscalation(deps: Deps): AdmissionStep {
  return {
    name: 'RBACEscalation',
    concerns: ({ definition, operation }) =>
      definition.group === GROUP && operation !== 'delete' && (ROLES.has(definition.plural) || BINDINGS.has(definition.plural)),
    mutate: (request) => check(deps, request),
  };
}

async function check(deps: Deps, request: AdmissionRequest): Promise<void> {
  const { object, old, user, definition } = request;
  if (!object || user.groups.includes(MASTERS) || (old && changesOwnersOnly(object, old))) return;
  if (ROLES.has(definition.plural)) return checkRole(deps, request, object);
  return checkBinding(deps, request, object);
}

/** What garbage collection does to an object on its way out grants nothing. */
function changesOwnersOnly(object: KubeObject, old: KubeObject): boolean {
  const bare = ({ metadata, ...rest }: KubeObject) => {
    const {
      ownerReferences: _owners,
      finalizers: _finalizers,
      managedFields: _fields,
      resourceVersion: _version,
      ...own
    } = metadata;
    return { ...rest, metadata: own };
  };
  return deepEqual(bare(object), bare(old));
}

async function checkRole(deps: Deps, request: AdmissionRequest, role: KubeObject): Promise<void> {
  const { definition, operation, namespace, name, user } = request;
  const asked = { user, verb: 'escalate', group: GROUP, version: '*', resource: definition.plural, subresource: '', namespace };
  // A create names nothing on its URL.
  if ((await deps.authorize({ ...asked, name: operation === 'create' ? '' : name })).allowed) return;
  const view = await deps.rbac();
  const held = view.grantsFor(user, namespace);
  refuseUncovered(request, user, held, readRules(role.rules));
  const aggregates = [role, request.old].some((each) => each?.aggregationRule !== undefined && each.aggregationRule !== null);
  if (aggregates && uncoveredRules(rulesOf(held), FULL_AUTHORITY).length > 0)
    throw refusal(request, 'must have cluster-admin privileges to use the aggregationRule');
}

async function checkBinding(deps: Deps, request: AdmissionRequest, binding: KubeObject): Promise<void> {
  const { namespace, user } = request;
  const { apiGroup = '', kind = '', name = '' } = binding.roleRef ?? {};
  const ref: RoleRef = { kind, name };
  // What is no reference at all is for validation to refuse.
  const resource = ref.kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  if ((ref.kind !== 'ClusterRole' && ref.kind !== 'Role') || ref.name === '') return;
  const asked = { user, verb: 'bind', group: apiGroup, version: '*', resource, subresource: '', namespace, name: ref.name };
  if ((await deps.authorize(asked)).allowed) return;
  const view: RbacView = await deps.rbac();
  const rules = view.rulesOf(ref, namespace);
  if (!rules) throw failure(404, 'NotFound', missingRole(ref), { name: ref.name, group: GROUP, kind: ref.kind.toLowerCase() });
  refuseUncovered(request, user, view.grantsFor(user, namespace), rules);
}

type Held = ReturnType<RbacView['grantsFor']>;

const rulesOf = ({ grants }: Held): PolicyRule[] => grants.map(({ rule }) => rule);

function refuseUncovered(request: AdmissionRequest, user: User, held: Held, wanted: readonly PolicyRule[]): void {
  const missing = uncoveredRules(rulesOf(held), wanted);
  if (missing.length === 0) return;
  const who = `user ${quoteGo(user.name)} (groups=${quoteGoList(user.groups)})`;
  const what = `is attempting to grant RBAC permissions not currently held:\n${describeRules(missing).join('\n')}`;
  const errors = held.errors.length === 0 ? '' : `; resolution errors: [${held.errors.join(', ')}]`;
  throw refusal(request, `${who} ${what}${errors}`);
}

function refusal({ definition, name }: AdmissionRequest, why: string) {
  return forbidden({ group: definition.group, resource: definition.plural }, name, why);
}
