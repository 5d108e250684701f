/**
 * The roles and bindings of a server as one immutable view: who holds which rules, where. Bindings are found by subject, so that what a user holds
 * costs what binds that user, not what binds all. Pure.
 */
import { quoteGo } from '../../machinery/go-quote.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { type PolicyRule, readRules } from './evaluate.ts';

/** Who is asked about; `groups` as authentication gave them. */
export type Holder = { name: string; groups: readonly string[] };

/** What a binding refers to. `apiGroup` is rbac.authorization.k8s.io. */
export type RoleRef = { kind: string; name: string };

/** A rule that somebody holds, and why: `ClusterRoleBinding "a" of ClusterRole "b" to Group "c"`. */
export type Grant = { rule: PolicyRule; source: string };

/** What somebody holds in a namespace ('' for the cluster alone). `errors`: bindings whose role is missing, one text each. */
export type Grants = { grants: readonly Grant[]; errors: readonly string[] };

/** One state of all RBAC objects; a change makes a new one, so that caches may key on identity. */
export type RbacView = {
  grantsFor(holder: Holder, namespace: string): Grants;
  /** Rules of a role as a binding in `namespace` refers to it; undefined when there is none. */
  rulesOf(ref: RoleRef, namespace: string): readonly PolicyRule[] | undefined;
};

/** A Role or ClusterRole, read once per version. */
export type RoleEntry = { namespace: string; name: string; rules: readonly PolicyRule[] };
/** A RoleBinding or ClusterRoleBinding, read once per version. */
export type BindingEntry = { namespace: string; name: string; ref: RoleRef; subjects: readonly Subject[] };

/** `key` is what a holder is found by: `u name` or `g name`. */
type Subject = { key: string; text: string };
type Bound = { binding: BindingEntry; subject: Subject; order: number };
type BindingIndex = ReadonlyMap<string, readonly Bound[]>;

const ACCOUNT_PREFIX = 'system:serviceaccount:';

/** Reads a stored Role or ClusterRole. */
export function roleEntry(object: KubeObject): RoleEntry {
  const { namespace = '', name = '' } = object.metadata;
  return { namespace, name, rules: readRules(object.rules) };
}

/** Reads a stored RoleBinding or ClusterRoleBinding. A ServiceAccount without a namespace is one of the binding's. */
export function bindingEntry(object: KubeObject): BindingEntry {
  const { namespace = '', name = '' } = object.metadata;
  const { kind = '', name: role = '' } = object.roleRef ?? {};
  const subjects: unknown = object.subjects;
  return {
    namespace,
    name,
    ref: { kind: String(kind), name: String(role) },
    subjects: Array.isArray(subjects) ? subjects.flatMap((subject) => subjectEntry(subject, namespace)) : [],
  };
}

function subjectEntry(subject: { kind?: string; name?: string; namespace?: string } | null, namespace: string): Subject[] {
  const { kind = '', name = '' } = subject ?? {};
  const text = (shown: string) => `${kind} ${quoteGo(shown)}`;
  if (kind === 'User') return [{ key: `u ${name}`, text: text(name) }];
  if (kind === 'Group') return [{ key: `g ${name}`, text: text(name) }];
  const home = subject?.namespace || namespace;
  if (kind !== 'ServiceAccount' || home === '') return [];
  return [{ key: `u ${ACCOUNT_PREFIX}${home}:${name}`, text: text(`${name}/${home}`) }];
}

/** Makes the view of one state. */
export function createRbacView(objects: {
  clusterRoles: readonly RoleEntry[];
  clusterRoleBindings: readonly BindingEntry[];
  roles: readonly RoleEntry[];
  roleBindings: readonly BindingEntry[];
}): RbacView {
  const clusterRoles = new Map(objects.clusterRoles.map((role) => [role.name, role.rules]));
  const roles = new Map(objects.roles.map((role) => [`${role.namespace}/${role.name}`, role.rules]));
  const everywhere = indexed(objects.clusterRoleBindings);
  const byNamespace = new Map([...groupedByNamespace(objects.roleBindings)].map(([name, all]) => [name, indexed(all)]));
  const rulesOf = (ref: RoleRef, namespace: string) =>
    ref.kind === 'ClusterRole' ? clusterRoles.get(ref.name) : roles.get(`${namespace}/${ref.name}`);
  return {
    rulesOf,
    grantsFor(holder, namespace) {
      const grants: Grant[] = [];
      const errors: string[] = [];
      for (const index of [everywhere, byNamespace.get(namespace)])
        for (const { binding, subject } of index ? boundTo(index, holder) : []) {
          const rules = rulesOf(binding.ref, binding.namespace);
          if (rules === undefined) errors.push(missingRole(binding.ref));
          const source = sourceText(binding, subject);
          for (const rule of rules ?? []) grants.push({ rule, source });
        }
      return { grants, errors: [...new Set(errors)] };
    },
  };
}

/** `clusterrole.rbac.authorization.k8s.io "x" not found`. */
export function missingRole({ kind, name }: RoleRef): string {
  return `${kind.toLowerCase()}.rbac.authorization.k8s.io ${quoteGo(name)} not found`;
}

function groupedByNamespace(bindings: readonly BindingEntry[]): ReadonlyMap<string, BindingEntry[]> {
  return Map.groupBy(bindings, (binding) => binding.namespace);
}

function indexed(bindings: readonly BindingEntry[]): BindingIndex {
  const index = new Map<string, Bound[]>();
  for (const [order, binding] of bindings.entries())
    for (const subject of binding.subjects) {
      const known = index.get(subject.key);
      if (known) known.push({ binding, subject, order });
      else index.set(subject.key, [{ binding, subject, order }]);
    }
  return index;
}

/** Bindings that name the holder, each once, by the first subject that does, in their own order. */
function boundTo(index: BindingIndex, { name, groups }: Holder): Bound[] {
  const byBinding = new Map<BindingEntry, Bound>();
  for (const key of [`u ${name}`, ...groups.map((group) => `g ${group}`)])
    for (const bound of index.get(key) ?? []) {
      const known = byBinding.get(bound.binding);
      const isEarlier = known && bound.binding.subjects.indexOf(bound.subject) < bound.binding.subjects.indexOf(known.subject);
      if (!known || isEarlier) byBinding.set(bound.binding, bound);
    }
  return [...byBinding.values()].sort((a, b) => a.order - b.order);
}

function sourceText({ namespace, name, ref }: BindingEntry, subject: Subject): string {
  const role = `${ref.kind} ${quoteGo(ref.name)}`;
  if (namespace === '') return `ClusterRoleBinding ${quoteGo(name)} of ${role} to ${subject.text}`;
  return `RoleBinding ${quoteGo(`${name}/${namespace}`)} of ${role} to ${subject.text}`;
}
