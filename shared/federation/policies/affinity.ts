/**
 * Cluster affinity terms (`clusterAffinity[]` of policies and overrides): ORed terms of ANDed expressions over labels and fields.
 * Behaviour copied from KubeAdmiral: a malformed term is an error only when evaluation reaches it; an empty term matches nothing.
 */
import { labelKeyErrors, labelValueErrors } from '../../machinery/names.ts';

/** One expression; `values` may be absent where the operator needs none. */
export type ClusterRequirement = { key: string; operator: string; values?: readonly string[] | null };

/** A term: all expressions AND all fields. */
export type ClusterTerm = {
  matchExpressions?: readonly ClusterRequirement[] | null;
  matchFields?: readonly ClusterRequirement[] | null;
};

/** What terms look at. */
export type LabelledCluster = { name: string; labels: Readonly<Record<string, string>> };

/** `invalid` names the first malformed requirement that evaluation reached. */
export type TermsMatch = { type: 'match' } | { type: 'noMatch' } | { type: 'invalid'; message: string };

type Requirement = { key: string; operator: string; values: ReadonlySet<string>; bound: bigint };
type Part = { type: 'none' } | { type: 'valid'; requirements: readonly Requirement[] } | { type: 'invalid'; message: string };
type CompiledTerm = { expressions: Part; fields: Part };

/** Terms, checked once; `matchTerms` evaluates them for many clusters. */
export type CompiledTerms = readonly CompiledTerm[];

const MATCH: TermsMatch = { type: 'match' };
const NO_MATCH: TermsMatch = { type: 'noMatch' };
const INTEGER = /^[+-]?\d+$/;

/** Checks and prepares terms. Never throws: what is malformed is reported when a cluster reaches it. */
export function compileTerms(terms: readonly ClusterTerm[]): CompiledTerms {
  return terms.map((term) => ({ expressions: expressionsOf(term.matchExpressions), fields: fieldsOf(term.matchFields) }));
}

/** Terms in order, the first match wins. No terms: no match (callers decide what an absent list means). */
export function matchTerms(terms: CompiledTerms, cluster: LabelledCluster): TermsMatch {
  for (const { expressions, fields } of terms) {
    if (expressions.type === 'invalid') return expressions;
    if (expressions.type === 'valid' && !matchesAll(expressions.requirements, cluster.labels)) continue;
    if (fields.type === 'invalid') return fields;
    if (fields.type === 'valid' && !matchesAll(fields.requirements, { 'metadata.name': cluster.name }, true)) continue;
    if (expressions.type === 'none' && fields.type === 'none') continue;
    return MATCH;
  }
  return NO_MATCH;
}

/** Every pair of the selector stands in the labels. */
export function matchesSelector(selector: Readonly<Record<string, string>>, labels: Readonly<Record<string, string>>): boolean {
  for (const key of Object.keys(selector)) if (!Object.hasOwn(labels, key) || labels[key] !== selector[key]) return false;
  return true;
}

/** Preferred terms look at expressions only; without any, or malformed, they match nothing. */
export function matchesExpressions(terms: CompiledTerms, cluster: LabelledCluster): boolean {
  return terms.every(({ expressions }) => expressions.type === 'valid' && matchesAll(expressions.requirements, cluster.labels));
}

function expressionsOf(expressions: readonly ClusterRequirement[] | null | undefined): Part {
  if (!expressions || expressions.length === 0) return { type: 'none' };
  const errors = expressions.flatMap(expressionErrors);
  if (errors[0] !== undefined) return { type: 'invalid', message: errors[0] };
  return { type: 'valid', requirements: expressions.map(requirementOf) };
}

function fieldsOf(fields: readonly ClusterRequirement[] | null | undefined): Part {
  if (!fields || fields.length === 0) return { type: 'none' };
  for (const { key, operator, values } of fields) {
    if (operator !== 'In' && operator !== 'NotIn')
      return { type: 'invalid', message: `matchFields ${key}: operator "${operator}" is not In or NotIn` };
    if (values?.length !== 1) return { type: 'invalid', message: `matchFields ${key}: ${operator} needs exactly one value` };
  }
  return { type: 'valid', requirements: fields.map(requirementOf) };
}

function requirementOf({ key, operator, values }: ClusterRequirement): Requirement {
  const first = values?.[0] ?? '';
  return { key, operator, values: new Set(values ?? []), bound: INTEGER.test(first) ? BigInt(first) : 0n };
}

/** The rules of label selectors (k8s.io/apimachinery/pkg/labels), with Gt and Lt. */
function expressionErrors({ key, operator, values }: ClusterRequirement): string[] {
  const list = values ?? [];
  const about = (text: string): string[] => [`matchExpressions ${key}: ${text}`];
  const wrongKey = labelKeyErrors(key);
  if (wrongKey.length > 0) return about(wrongKey.join('; '));
  if (operator === 'In' || operator === 'NotIn') {
    if (list.length === 0) return about(`${operator} needs at least one value`);
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (list.length > 0) return about(`${operator} takes no values`);
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (list.length !== 1 || !INTEGER.test(list[0] ?? '')) return about(`${operator} needs exactly one integer`);
  } else return about(`operator "${operator}" is not known`);
  const wrongValue = list.map((value) => ({ value, errors: labelValueErrors(value) })).find(({ errors }) => errors.length > 0);
  return wrongValue ? about(`value "${wrongValue.value}": ${wrongValue.errors.join('; ')}`) : [];
}

/** `fields`: an unknown field has the empty value instead of being absent. */
function matchesAll(requirements: readonly Requirement[], values: Readonly<Record<string, string>>, fields?: true): boolean {
  for (const requirement of requirements) {
    const value = Object.hasOwn(values, requirement.key) ? values[requirement.key] : undefined;
    if (!matchesOne(requirement, fields ? (value ?? '') : value)) return false;
  }
  return true;
}

function matchesOne({ operator, values, bound }: Requirement, value: string | undefined): boolean {
  if (operator === 'In') return value !== undefined && values.has(value);
  if (operator === 'NotIn') return value === undefined || !values.has(value);
  if (operator === 'Exists') return value !== undefined;
  if (operator === 'DoesNotExist') return value === undefined;
  if (value === undefined || !INTEGER.test(value)) return false;
  return operator === 'Gt' ? BigInt(value) > bound : BigInt(value) < bound;
}
