/** Which writes a webhook or a policy is for: rules, equivalent kinds, selectors (k8s.io/apiserver/pkg/admission/plugin/policy/matching, webhook/predicates). */
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import { fromStored, storedScope } from '../../apis/stored.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { type LabelSelector, labelSelectorRequirements, matchesLabels } from '../../machinery/selectors.ts';
import { notFound } from '../../machinery/status.ts';
import type { AdmissionRequest } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';

type Requirements = ReturnType<typeof labelSelectorRequirements>;

/** One resource rule, read once. `*` stands for all. */
export type Rule = {
  operations: ReadonlySet<string>;
  groups: ReadonlySet<string>;
  versions: ReadonlySet<string>;
  resources: readonly (readonly [resource: string, subresource: string])[];
  scope: string;
  /** Empty: all names. */
  names: readonly string[];
};

/** What a webhook, a policy or a binding says of the writes that it is for. */
export type Criteria = {
  /** Undefined: everything matches. */
  rules: readonly Rule[] | undefined;
  excluded: readonly Rule[];
  equivalent: boolean;
  namespaceSelector: Requirements;
  objectSelector: Requirements;
};

/** The kind in whose version the request is shown. */
export type Match = { definition: ResourceDefinition };

const EXEMPT = /^(?:Validating|Mutating)(?:WebhookConfiguration|AdmissionPolicy|AdmissionPolicyBinding)$/;

/** Objects that configure admission are never subject to it: a mistake must stay repairable. */
export function isExempt({ group, kind }: ResourceDefinition): boolean {
  return group === 'admissionregistration.k8s.io' && EXEMPT.test(kind);
}

type Field = KubeObject[string];

/** Reads criteria as they stand in an object that was validated. */
export function readCriteria(spec: Field, rules: unknown, excluded: unknown = []): Criteria {
  return {
    rules: Array.isArray(rules) ? rules.map(readRule) : undefined,
    excluded: Array.isArray(excluded) ? excluded.map(readRule) : [],
    equivalent: spec?.matchPolicy !== 'Exact',
    namespaceSelector: readSelector(spec?.namespaceSelector),
    objectSelector: readSelector(spec?.objectSelector),
  };
}

function readSelector(selector: LabelSelector | null | undefined): Requirements {
  return selector ? labelSelectorRequirements(selector) : [];
}

function readRule(rule: Field): Rule {
  return {
    operations: new Set<string>(rule?.operations ?? []),
    groups: new Set<string>(rule?.apiGroups ?? []),
    versions: new Set<string>(rule?.apiVersions ?? []),
    resources: ((rule?.resources ?? []) as string[]).map((text) => {
      const slash = text.indexOf('/');
      return slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
    }),
    scope: rule?.scope ?? '*',
    names: rule?.resourceNames ?? [],
  };
}

const holds = (set: ReadonlySet<string>, value: string): boolean => set.has('*') || set.has(value);

/** `CREATE`, `UPDATE` or `DELETE`. */
export function operationOf({ operation }: AdmissionRequest): string {
  return operation.toUpperCase();
}

export function isNamespaceKind({ group, plural }: ResourceDefinition): boolean {
  return group === '' && plural === 'namespaces';
}

/** The namespace as admission sees it: a Namespace lies in itself. */
export function admissionNamespace({ definition, namespace, name }: AdmissionRequest): string {
  return isNamespaceKind(definition) ? name : namespace;
}

function ruleMatches(rule: Rule, definition: ResourceDefinition, request: AdmissionRequest): boolean {
  const { subresource, name } = request;
  const namespaced = !isNamespaceKind(definition) && request.namespace !== '';
  if (rule.scope === 'Namespaced' && !namespaced) return false;
  if (rule.scope === 'Cluster' && namespaced) return false;
  if (!holds(rule.operations, operationOf(request)) || !holds(rule.groups, definition.group)) return false;
  if (!holds(rule.versions, definition.version)) return false;
  if (rule.names.length > 0 && !rule.names.includes(name)) return false;
  return rule.resources.some(
    ([resource, sub]) => (resource === '*' || resource === definition.plural) && (sub === '*' || sub === subresource),
  );
}

/** The first rule that matches, in the version of the request or, where that is allowed, in another of the same stored kind. */
function findRule(
  rules: readonly Rule[],
  criteria: Criteria,
  request: AdmissionRequest,
  equivalents: Equivalents,
): Match | undefined {
  const { definition } = request;
  if (rules.some((rule) => ruleMatches(rule, definition, request))) return { definition };
  if (!criteria.equivalent || rules.length === 0) return undefined;
  const others = equivalents(definition);
  for (const rule of rules) for (const other of others) if (ruleMatches(rule, other, request)) return { definition: other };
  return undefined;
}

/** Other versions, or groups, of the same stored kind. */
export type Equivalents = (definition: ResourceDefinition) => readonly ResourceDefinition[];

/** Looked up once per kind and registry: most writes are of kinds that a rule does not name. */
export function createEquivalents(registryOf: () => Registry): Equivalents {
  let registry: Registry | undefined;
  let known = new Map<ResourceDefinition, readonly ResourceDefinition[]>();
  return (definition) => {
    const current = registryOf();
    if (current !== registry) {
      registry = current;
      known = new Map();
    }
    const found = known.get(definition) ?? equivalentsOf(current, definition);
    known.set(definition, found);
    return found;
  };
}

function equivalentsOf(registry: Registry, definition: ResourceDefinition): ResourceDefinition[] {
  const scope = storedScope(definition);
  return registry.all().filter((other) => other !== definition && !other.virtual && storedScope(other) === scope);
}

/** Whether and in which version a write is shown. `labelsOf` gives the labels of the namespace and is asked only where they matter. */
export async function findMatch(
  criteria: Criteria,
  request: AdmissionRequest,
  equivalents: Equivalents,
  labelsOf: () => Promise<Record<string, string> | undefined>,
): Promise<Match | undefined> {
  if (criteria.excluded.length > 0 && findRule(criteria.excluded, criteria, request, equivalents)) return undefined;
  const found = criteria.rules ? findRule(criteria.rules, criteria, request, equivalents) : { definition: request.definition };
  if (!found || !objectMatches(criteria.objectSelector, request)) return undefined;
  if (criteria.namespaceSelector.length === 0) return found;
  const labels = await labelsOf();
  return labels === undefined || matchesLabels(criteria.namespaceSelector, labels) ? found : undefined;
}

/** Either the object as it is to be or as it was. */
function objectMatches(selector: Requirements, { object, old }: AdmissionRequest): boolean {
  if (selector.length === 0) return true;
  return [object, old].some((each) => each !== undefined && matchesLabels(selector, each.metadata.labels ?? {}));
}

/** The namespace that a write is in, read once per request and only when somebody asks. Undefined: it is in none. */
export function namespaceReader(
  deps: Pick<AdmissionDeps, 'store'>,
  request: AdmissionRequest,
): () => Promise<KubeObject | undefined> {
  let reading: Promise<KubeObject | undefined> | undefined;
  const read = async (): Promise<KubeObject | undefined> => {
    const { definition, namespace, object, old, operation } = request;
    if (isNamespaceKind(definition)) return operation === 'delete' ? old : (object ?? old);
    if (namespace === '') return undefined;
    const stored = await deps.store.objects.get({ scope: '/namespaces', namespace: '', name: namespace });
    if (!stored) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    return fromStored(stored);
  };
  return () => {
    reading ??= read();
    return reading;
  };
}
