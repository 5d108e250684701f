/** Rules of `flowcontrol.apiserver.k8s.io/v1` kinds (k8s.io/kubernetes/pkg/apis/flowcontrol/validation). */
import { nameErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { FieldError } from '../definition.ts';
import { eachItem, forbidden, invalid, invalidEach, notSupported, type OwnField, required } from '../validation/fields.ts';

const PRECEDENCE_MAX = 10_000;
const QUEUES_MAX = 10_000_000;
const ENTROPY_BITS_MAX = 60;
const EXEMPT = 'exempt';

export function validateFlowSchema({ metadata, spec }: KubeObject): FieldError[] {
  const { matchingPrecedence: precedence = 0, distinguisherMethod, priorityLevelConfiguration, rules } = spec ?? {};
  const level = priorityLevelConfiguration?.name ?? '';
  return [
    ...precedenceErrors(metadata.name ?? '', precedence),
    ...(distinguisherMethod && !['ByNamespace', 'ByUser'].includes(distinguisherMethod.type)
      ? [notSupported('spec.distinguisherMethod.type', { Type: distinguisherMethod.type }, ['ByNamespace', 'ByUser'])]
      : []),
    ...(level === ''
      ? [required('spec.priorityLevelConfiguration.name', 'must reference a priority level')]
      : invalidEach('spec.priorityLevelConfiguration.name', level, nameErrors('subdomain', level))),
    ...eachItem('spec.rules', rules, ruleErrors),
    ...exemptErrors(metadata.name ?? '', spec),
  ];
}

function precedenceErrors(name: string, precedence: number): FieldError[] {
  const field = 'spec.matchingPrecedence';
  if (precedence <= 0) return [invalid(field, precedence, 'must be a positive value')];
  if (precedence > PRECEDENCE_MAX) return [invalid(field, precedence, `must not be greater than ${PRECEDENCE_MAX}`)];
  if (precedence !== 1 || name === EXEMPT) return [];
  return [invalid(field, precedence, `only the schema named '${EXEMPT}' may have matchingPrecedence 1`)];
}

/** The schema that lets administrators in is as it is. Shown in Go's spelling, as upstream prints it. */
function exemptErrors(name: string, spec: OwnField): FieldError[] {
  if (name !== EXEMPT) return [];
  const level = spec?.priorityLevelConfiguration?.name ?? '';
  if (spec?.matchingPrecedence === 1 && level === EXEMPT && !spec?.distinguisherMethod) return [];
  const shown = {
    PriorityLevelConfiguration: { Name: level },
    MatchingPrecedence: spec?.matchingPrecedence ?? 0,
    DistinguisherMethod: spec?.distinguisherMethod ? { Type: spec.distinguisherMethod.type } : null,
    Rules: spec?.rules ?? null,
  };
  return [invalid('spec', shown, `spec of '${EXEMPT}' must equal the fixed value`)];
}

function ruleErrors(rule: OwnField, path: string): FieldError[] {
  const { subjects, resourceRules, nonResourceRules } = rule ?? {};
  const isEmpty = !(resourceRules?.length > 0) && !(nonResourceRules?.length > 0);
  return [
    ...(subjects?.length > 0
      ? eachItem(`${path}.subjects`, subjects, subjectErrors)
      : [required(`${path}.subjects`, 'subjects must contain at least one value')]),
    ...(isEmpty ? [required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty')] : []),
    ...eachItem(`${path}.resourceRules`, resourceRules, resourceRuleErrors),
    ...eachItem(`${path}.nonResourceRules`, nonResourceRules, nonResourceRuleErrors),
  ];
}

/** The member that holds the subject of each kind. */
const SUBJECTS: Readonly<Record<string, string>> = { Group: 'group', ServiceAccount: 'serviceAccount', User: 'user' };

function subjectErrors(subject: OwnField, path: string): FieldError[] {
  const kind = String(subject?.kind ?? '');
  const member = Object.hasOwn(SUBJECTS, kind) ? SUBJECTS[kind] : undefined;
  if (member === undefined) return [notSupported(`${path}.kind`, kind, Object.keys(SUBJECTS))];
  const own = subject[member];
  const others = Object.entries(SUBJECTS).filter(([, other]) => other !== member && subject[other]);
  return [
    ...(own
      ? ownSubjectErrors(kind, own, `${path}.${member}`)
      : [required(`${path}.${member}`, `${member} is required when subject kind is '${kind}'`)]),
    ...others.map(([other, name]) => forbidden(`${path}.${name}`, `${name} is forbidden when subject kind is not '${other}'`)),
  ];
}

function ownSubjectErrors(kind: string, own: OwnField, path: string): FieldError[] {
  const { name = '', namespace = '' } = own;
  if (kind !== 'ServiceAccount') return name === '' ? [required(`${path}.name`)] : [];
  return [
    ...(name === ''
      ? [required(`${path}.name`)]
      : name === '*'
        ? []
        : invalidEach(`${path}.name`, name, nameErrors('subdomain', name))),
    ...(namespace === ''
      ? [required(`${path}.namespace`, 'must specify namespace for service account')]
      : invalidEach(`${path}.namespace`, namespace, nameErrors('label', namespace))),
  ];
}

function starErrors(field: string, values: OwnField, what: string): FieldError[] {
  const isMixed = Array.isArray(values) && values.length > 1 && values.includes('*');
  return isMixed ? [invalid(field, values, `if '*' is present, must not specify other ${what}`)] : [];
}

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

function verbErrors(path: string, verbs: OwnField): FieldError[] {
  if (!(verbs?.length > 0)) return [required(`${path}.verbs`, 'verbs must contain at least one value')];
  if (verbs.includes('*')) return starErrors(`${path}.verbs`, verbs, 'verbs');
  return verbs.every((verb: string) => VERBS.includes(verb)) ? [] : [notSupported(`${path}.verbs`, verbs, VERBS)];
}

function resourceRuleErrors(rule: OwnField, path: string): FieldError[] {
  const { verbs, apiGroups, resources, namespaces, clusterScope } = rule ?? {};
  return [
    ...verbErrors(path, verbs),
    ...(apiGroups?.length > 0
      ? starErrors(`${path}.apiGroups`, apiGroups, 'api groups')
      : [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]),
    ...(resources?.length > 0
      ? starErrors(`${path}.resources`, resources, 'resources')
      : [required(`${path}.resources`, 'resource rules must supply at least one resource')]),
    ...namespacesErrors(`${path}.namespaces`, namespaces, clusterScope === true),
  ];
}

function namespacesErrors(field: string, namespaces: OwnField, clusterScope: boolean): FieldError[] {
  if (!(namespaces?.length > 0))
    return clusterScope ? [] : [required(field, 'resource rules that are not cluster scoped must supply at least one namespace')];
  if (namespaces.includes('*')) return starErrors(field, namespaces, 'namespaces');
  return eachItem(field, namespaces, (namespace, path) => invalidEach(path, namespace, nameErrors('label', String(namespace))));
}

function nonResourceRuleErrors(rule: OwnField, path: string): FieldError[] {
  const { verbs, nonResourceURLs: urls } = rule ?? {};
  const field = `${path}.nonResourceURLs`;
  if (!(urls?.length > 0))
    return [...verbErrors(path, verbs), required(field, 'nonResourceURLs must contain at least one value')];
  if (urls.includes('*')) return [...verbErrors(path, verbs), ...starErrors(field, urls, 'non-resource URLs')];
  return [...verbErrors(path, verbs), ...eachItem(field, urls, (url, at) => urlErrors(String(url), at))];
}

function urlErrors(url: string, path: string): FieldError[] {
  if (url === '') return [invalid(path, url, 'must not be empty')];
  if (url === '/') return [];
  if (!url.startsWith('/')) return [invalid(path, url, 'must start with slash')];
  if (url.includes(' ')) return [invalid(path, url, 'must not contain white-space')];
  if (url.includes('//')) return [invalid(path, url, 'must not contain double slash')];
  const star = url.indexOf('*');
  return star >= 0 && star !== url.length - 1 ? [invalid(path, url, "wildcard '*' may only appear at the end of the path")] : [];
}

export function validatePriorityLevel({ metadata, spec }: KubeObject): FieldError[] {
  const { type = '', limited, exempt } = spec ?? {};
  if (type !== 'Exempt' && type !== 'Limited') return [notSupported('spec.type', type, ['Exempt', 'Limited'])];
  const isExempt = type === 'Exempt';
  const errors =
    isExempt === (metadata.name === EXEMPT)
      ? []
      : [invalid('spec.type', type, `must be 'Exempt' if and only if \`name\` is '${EXEMPT}'`)];
  if (isExempt)
    return [
      ...errors,
      ...(limited ? [forbidden('spec.limited', 'must be nil if the type is not Limited')] : []),
      ...(exempt ? sharesErrors('spec.exempt', exempt) : []),
    ];
  if (exempt) errors.push(forbidden('spec.exempt', 'must be nil if the type is Limited'));
  if (!limited) return [...errors, required('spec.limited', 'must not be empty when type is Limited')];
  return [...errors, ...sharesErrors('spec.limited', limited), ...responseErrors(limited.limitResponse)];
}

function sharesErrors(field: string, { nominalConcurrencyShares: shares, lendablePercent, borrowingLimitPercent }: OwnField) {
  return [
    ...(shares < 0 ? [invalid(`${field}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')] : []),
    ...(lendablePercent < 0 || lendablePercent > 100
      ? [invalid(`${field}.lendablePercent`, lendablePercent, 'must be between 0 and 100, inclusive')]
      : []),
    ...(borrowingLimitPercent < 0
      ? [invalid(`${field}.borrowingLimitPercent`, borrowingLimitPercent, 'if specified, must be a non-negative integer')]
      : []),
  ];
}

/** Upstream speaks of `Limited` where it means `Queue`. */
function responseErrors(response: OwnField): FieldError[] {
  const field = 'spec.limited.limitResponse';
  const type = response?.type ?? '';
  const queuing = response?.queuing;
  if (type === 'Reject')
    return queuing ? [forbidden(`${field}.queuing`, 'must be nil if limited.limitResponse.type is not Limited')] : [];
  if (type !== 'Queue') return [notSupported(`${field}.type`, type, ['Queue', 'Reject'])];
  if (!queuing) return [required(`${field}.queuing`, 'must not be empty if limited.limitResponse.type is Limited')];
  return queuingErrors(`${field}.queuing`, queuing);
}

function queuingErrors(field: string, { queues = 0, handSize = 0, queueLengthLimit = 0 }: OwnField): FieldError[] {
  const hand = `${field}.handSize`;
  const errors = queueLengthLimit <= 0 ? [invalid(`${field}.queueLengthLimit`, queueLengthLimit, 'must be positive')] : [];
  if (queues <= 0) errors.push(invalid(`${field}.queues`, queues, 'must be positive'));
  if (queues > QUEUES_MAX) errors.push(invalid(`${field}.queues`, queues, `must not be greater than ${QUEUES_MAX}`));
  if (handSize <= 0) return [...errors, invalid(hand, handSize, 'must be positive')];
  if (queues <= 0) return errors;
  if (handSize > queues) return [...errors, invalid(hand, handSize, `should not be greater than queues (${queues})`)];
  const isTooMuch = entropyBits(queues, handSize) > ENTROPY_BITS_MAX;
  const why = `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${ENTROPY_BITS_MAX}`;
  return isTooMuch ? [...errors, invalid(hand, handSize, why)] : errors;
}

/** Bits that dealing a hand takes (apiserver, shufflesharding). */
function entropyBits(deck: number, hand: number): number {
  let bits = 0;
  for (let index = 0; index < hand; index += 1) bits += Math.log2(deck - index);
  return Math.ceil(bits);
}
