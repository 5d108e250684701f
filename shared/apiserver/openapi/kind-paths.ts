/**
 * Paths of custom kinds for the OpenAPI documents: what may be asked, with which options, and which kind a path is about. Each operation is
 * told once, and printed in the form of v2 or v3. Pure.
 */
import type { ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { type OpenApiForm, reference, schemaName } from './kind-schemas.ts';

type Parameter = readonly [name: string, type: 'string' | 'boolean' | 'integer'];
type Operation = {
  method: 'get' | 'put' | 'post' | 'patch' | 'delete';
  action: string;
  id: string;
  query: readonly Parameter[];
  /** Names of schemas. */
  body?: { types: readonly string[]; schema: string };
  answer: string;
  codes: readonly string[];
};

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const MEDIA_TYPES = ['application/json', 'application/yaml'];
const PATCH_TYPES = ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'];

const LIST_QUERY: readonly Parameter[] = [
  ['allowWatchBookmarks', 'boolean'],
  ['continue', 'string'],
  ['fieldSelector', 'string'],
  ['labelSelector', 'string'],
  ['limit', 'integer'],
  ['resourceVersion', 'string'],
  ['resourceVersionMatch', 'string'],
  ['sendInitialEvents', 'boolean'],
  ['timeoutSeconds', 'integer'],
  ['watch', 'boolean'],
];
const WRITE_QUERY: readonly Parameter[] = [
  ['dryRun', 'string'],
  ['fieldManager', 'string'],
  ['fieldValidation', 'string'],
];
const DELETE_QUERY: readonly Parameter[] = [
  ['dryRun', 'string'],
  ['gracePeriodSeconds', 'integer'],
  ['orphanDependents', 'boolean'],
  ['propagationPolicy', 'string'],
];

/** Path items by path. */
export function kindPaths(definition: ResourceDefinition, form: OpenApiForm): Record<string, JsonObject> {
  const { group, version, kind, plural, namespaced } = definition;
  const root = `/apis/${formatApiVersion(group, version)}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const suffix = namespaced ? `Namespaced${kind}` : kind;
  const item = (operations: readonly Operation[], parameters: readonly string[]) =>
    pathItem(definition, form, operations, namespaced ? parameters : parameters.filter((name) => name !== 'namespace'));
  const paths = {
    [collection]: item(collectionOperations(definition, suffix), ['namespace', 'pretty']),
    [`${collection}/{name}`]: item(objectOperations(definition, suffix), ['name', 'namespace', 'pretty']),
    ...(definition.status
      ? { [`${collection}/{name}/status`]: item(partOperations(definition, `${suffix}Status`), ['name', 'namespace', 'pretty']) }
      : {}),
  };
  if (!namespaced) return paths;
  const everywhere = operationOf(definition, 'list', `${kind}ForAllNamespaces`);
  return { ...paths, [`${root}/${plural}`]: pathItem(definition, form, [everywhere], ['pretty']) };
}

const ACTIONS: Readonly<Record<string, { method: Operation['method']; action: string; verb: string }>> = {
  list: { method: 'get', action: 'list', verb: 'list' },
  create: { method: 'post', action: 'post', verb: 'create' },
  deletecollection: { method: 'delete', action: 'deletecollection', verb: 'deleteCollection' },
  get: { method: 'get', action: 'get', verb: 'read' },
  update: { method: 'put', action: 'put', verb: 'replace' },
  patch: { method: 'patch', action: 'patch', verb: 'patch' },
  delete: { method: 'delete', action: 'delete', verb: 'delete' },
};

function collectionOperations(definition: ResourceDefinition, suffix: string): Operation[] {
  return ['list', 'create', 'deletecollection']
    .filter((verb) => serves(definition, verb))
    .map((verb) => operationOf(definition, verb, suffix));
}

function objectOperations(definition: ResourceDefinition, suffix: string): Operation[] {
  const verbs = ['get', 'update', 'patch', 'delete'].filter((verb) => serves(definition, verb));
  return verbs.map((verb) => operationOf(definition, verb, suffix));
}

function partOperations(definition: ResourceDefinition, suffix: string): Operation[] {
  return ['get', 'update', 'patch'].map((verb) => operationOf(definition, verb, suffix));
}

const serves = ({ verbs }: ResourceDefinition, verb: string) => (verbs as readonly string[]).includes(verb);

function operationOf(definition: ResourceDefinition, verb: string, suffix: string): Operation {
  const { method, action, verb: word } = ACTIONS[verb] ?? { method: 'get', action: verb, verb };
  const schema = schemaName(definition, definition.kind);
  const status = `${META}Status`;
  const operation = { method, action, id: `${word}${camel(definition.group)}${camel(definition.version)}${suffix}` };
  switch (verb) {
    case 'list':
      return { ...operation, query: LIST_QUERY, answer: schemaName(definition, definition.listKind), codes: ['200'] };
    case 'deletecollection':
      return { ...operation, query: LIST_QUERY, answer: status, codes: ['200'] };
    case 'create':
      return {
        ...operation,
        query: WRITE_QUERY,
        body: { types: MEDIA_TYPES, schema },
        answer: schema,
        codes: ['200', '201', '202'],
      };
    case 'update':
      return { ...operation, query: WRITE_QUERY, body: { types: MEDIA_TYPES, schema }, answer: schema, codes: ['200', '201'] };
    case 'patch': {
      const query = [...WRITE_QUERY, ['force', 'boolean'] as const];
      return { ...operation, query, body: { types: PATCH_TYPES, schema: `${META}Patch` }, answer: schema, codes: ['200'] };
    }
    case 'delete':
      return {
        ...operation,
        query: DELETE_QUERY,
        body: { types: MEDIA_TYPES, schema: `${META}DeleteOptions` },
        answer: status,
        codes: ['200', '202'],
      };
    default:
      return { ...operation, query: [['resourceVersion', 'string']], answer: schema, codes: ['200'] };
  }
}

/** `stable.example.com` -> `StableExampleCom`. */
function camel(text: string): string {
  return text
    .split(/[.-]/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

function pathItem(
  definition: ResourceDefinition,
  form: OpenApiForm,
  operations: readonly Operation[],
  parameters: readonly string[],
): JsonObject {
  const print = form === 'v3' ? operationThree : operationTwo;
  const common = parameters.map((name) => parameterOf(form, name, 'string', name === 'pretty' ? 'query' : 'path'));
  return {
    ...Object.fromEntries(
      operations.map((operation) => [operation.method, { ...print(operation), ...described(definition, operation) }]),
    ),
    parameters: common,
  };
}

function described({ group, version, kind }: ResourceDefinition, { action, id }: Operation): JsonObject {
  const tag = camel(group);
  return {
    tags: [`${tag.charAt(0).toLowerCase()}${tag.slice(1)}_${version}`],
    operationId: id,
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, kind, version },
  };
}

function parameterOf(form: OpenApiForm, name: string, type: string, place: 'query' | 'path'): JsonObject {
  const required = place === 'path' ? { required: true } : {};
  if (form === 'v2') return { uniqueItems: true, type, name, in: place, ...required };
  return { name, in: place, ...required, schema: { type, uniqueItems: true } };
}

function operationThree({ query, body, answer, codes }: Operation): JsonObject {
  const content = (types: readonly string[], schema: string): JsonObject =>
    Object.fromEntries(types.map((type) => [type, { schema: { $ref: reference('v3', schema) } }]));
  const answered = { description: 'OK', content: content(MEDIA_TYPES, answer) };
  return {
    parameters: query.map(([name, type]) => parameterOf('v3', name, type, 'query')),
    ...(body ? { requestBody: { content: content(body.types, body.schema), required: true } } : {}),
    responses: { ...Object.fromEntries(codes.map((code) => [code, answered])), '401': { description: 'Unauthorized' } },
  };
}

function operationTwo({ query, body, answer, codes }: Operation): JsonObject {
  const answered = { description: 'OK', schema: { $ref: reference('v2', answer) } };
  const schema = body && { $ref: reference('v2', body.schema) };
  return {
    consumes: [...(body?.types ?? MEDIA_TYPES)],
    produces: MEDIA_TYPES,
    schemes: ['https'],
    parameters: [
      ...(schema ? [{ name: 'body', in: 'body', required: true, schema }] : []),
      ...query.map(([name, type]) => parameterOf('v2', name, type, 'query')),
    ],
    responses: { ...Object.fromEntries(codes.map((code) => [code, answered])), '401': { description: 'Unauthorized' } },
  };
}
