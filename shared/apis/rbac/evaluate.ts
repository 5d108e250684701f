/**
 * What a rule of a role allows, and whether rules cover others. Pure; as kube-apiserver decides it (k8s.io/kubernetes/pkg/apis/rbac and
 * k8s.io/component-helpers/auth/rbac/validation).
 */
import { quoteGo } from '../../machinery/go-quote.ts';

/** `rules[]` of a role, with every list there. */
export type PolicyRule = {
  verbs: readonly string[];
  apiGroups: readonly string[];
  resources: readonly string[];
  resourceNames: readonly string[];
  nonResourceURLs: readonly string[];
};

/** What is asked: one verb on a resource, or on a path (`path` set, the rest empty). */
export type AccessQuestion = {
  verb: string;
  group: string;
  resource: string;
  subresource: string;
  name: string;
  path?: string;
};

const ALL = '*';
const NONE: readonly string[] = [];

/** A rule with the given lists; those that are left out are empty. */
export function policyRule(given: Partial<PolicyRule>): PolicyRule {
  return { verbs: NONE, apiGroups: NONE, resources: NONE, resourceNames: NONE, nonResourceURLs: NONE, ...given };
}

/** Everything on everything: what one must hold to let a ClusterRole gather others. */
export const FULL_AUTHORITY: readonly PolicyRule[] = [
  policyRule({ verbs: [ALL], apiGroups: [ALL], resources: [ALL] }),
  policyRule({ verbs: [ALL], nonResourceURLs: [ALL] }),
];

/** Rules of a stored role; what is no list of texts counts as an empty list. */
export function readRules(rules: unknown): PolicyRule[] {
  if (!Array.isArray(rules)) return [];
  return rules.map((rule: Record<string, unknown> | null) => ({
    verbs: texts(rule?.verbs),
    apiGroups: texts(rule?.apiGroups),
    resources: texts(rule?.resources),
    resourceNames: texts(rule?.resourceNames),
    nonResourceURLs: texts(rule?.nonResourceURLs),
  }));
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : NONE;
}

/** Does this rule allow it? */
export function ruleAllows(rule: PolicyRule, question: AccessQuestion): boolean {
  if (!holds(rule.verbs, question.verb)) return false;
  if (question.path !== undefined) return urlsCover(rule.nonResourceURLs, question.path);
  const { group, resource, subresource, name } = question;
  if (!holds(rule.apiGroups, group) || !resourceMatches(rule.resources, resource, subresource)) return false;
  return rule.resourceNames.length === 0 || rule.resourceNames.includes(name);
}

/** `pods`, `pods/log`, `*` and `*`+`/log` match; `*` also matches every subresource. */
function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  if (resources.length === 0) return false;
  const asked = subresource === '' ? resource : `${resource}/${subresource}`;
  if (resources.includes(ALL) || resources.includes(asked)) return true;
  return subresource !== '' && resources.includes(`*/${subresource}`);
}

function holds(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes(ALL);
}

function urlsCover(urls: readonly string[], path: string): boolean {
  return urls.some((url) => url === ALL || url === path || (url.endsWith(ALL) && path.startsWith(url.replace(/\*+$/, ''))));
}

/** The parts of `wanted` that no single rule of `held` covers, one tuple each; none when all is held. */
export function uncoveredRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(brokenDown).filter((part) => !held.some((rule) => covers(rule, part)));
}

/** One rule per (group, resource, verb, name), and per (path, verb). */
function brokenDown(rule: PolicyRule): PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = rule.resourceNames.length > 0 ? rule.resourceNames.map((name) => [name]) : [NONE];
  for (const group of rule.apiGroups)
    for (const resource of rule.resources)
      for (const verb of rule.verbs)
        for (const resourceNames of names)
          parts.push(policyRule({ verbs: [verb], apiGroups: [group], resources: [resource], resourceNames }));
  for (const url of rule.nonResourceURLs)
    for (const verb of rule.verbs) parts.push(policyRule({ verbs: [verb], nonResourceURLs: [url] }));
  return parts;
}

/** `part` names at most one of each. */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  return (
    part.verbs.every((verb) => holds(rule.verbs, verb)) &&
    part.apiGroups.every((group) => holds(rule.apiGroups, group)) &&
    part.resources.every((resource) => resourceCovers(rule.resources, resource)) &&
    part.nonResourceURLs.every((url) => urlsCover(rule.nonResourceURLs, url)) &&
    namesCover(rule.resourceNames, part.resourceNames)
  );
}

function resourceCovers(held: readonly string[], resource: string): boolean {
  if (holds(held, resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && held.includes(`*${resource.slice(slash)}`);
}

function namesCover(held: readonly string[], names: readonly string[]): boolean {
  if (held.length === 0) return true;
  return names.length > 0 && names.every((name) => held.includes(name));
}

/** Rules as refusals list them: verbs of one resource together, sorted, `{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}`. */
export function describeRules(rules: readonly PolicyRule[]): string[] {
  return [...new Set(compacted(rules).map(describe))].sort();
}

function compacted(rules: readonly PolicyRule[]): PolicyRule[] {
  const simple = new Map<string, PolicyRule>();
  const others: PolicyRule[] = [];
  for (const rule of rules) {
    const { apiGroups, resources, resourceNames, nonResourceURLs, verbs } = rule;
    if (apiGroups.length !== 1 || resources.length !== 1 || resourceNames.length > 1 || nonResourceURLs.length > 0) {
      others.push(rule);
      continue;
    }
    const key = JSON.stringify([apiGroups, resources, resourceNames]);
    const known = simple.get(key);
    simple.set(key, known ? { ...known, verbs: [...new Set([...known.verbs, ...verbs])] } : rule);
  }
  return [...others, ...simple.values()];
}

function describe(rule: PolicyRule): string {
  const parts: [string, readonly string[]][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  return `{${parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:${quoteGoList(values)}`)
    .join(', ')}}`;
}

/** A list of texts as Go's `%q` prints it: `["a" "b"]`. */
export function quoteGoList(values: readonly string[]): string {
  return `[${values.map(quoteGo).join(' ')}]`;
}
