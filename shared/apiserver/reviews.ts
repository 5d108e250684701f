/** Review kinds as views over `authenticate` and `authorize`: what `kubectl auth can-i` and `auth whoami` ask. Nothing is stored. */
import type { Registry } from '../apis/definition.ts';
import type { JsonObject, JsonValue, KubeObject } from '../machinery/object.ts';
import { badRequest, invalid } from '../machinery/status.ts';
import { isJsonObject } from './http/body.ts';
import type { Authenticate, Authorize, RequestAttributes, User, View } from './server.ts';

type Deps = { authenticate: Authenticate; authorize: Authorize; registry: () => Registry };

/** Views by `group/resource`, to be merged under those of the server's own deps. */
export function reviewViews(deps: Deps): ReadonlyMap<string, View> {
  const authorization = 'authorization.k8s.io';
  return new Map<string, View>([
    [`${authorization}/selfsubjectaccessreviews`, (request) => accessReview(deps, request, request.attributes.user)],
    [`${authorization}/subjectaccessreviews`, (request) => accessReview(deps, request, subjectOf(specOf(request.body)))],
    [`${authorization}/localsubjectaccessreviews`, (request) => localAccessReview(deps, request)],
    [`${authorization}/selfsubjectrulesreviews`, (request) => rulesReview(deps, request)],
    ['authentication.k8s.io/selfsubjectreviews', (request) => selfReview(request)],
    ['authentication.k8s.io/tokenreviews', (request) => tokenReview(deps, request)],
  ]);
}

type ViewRequest = Parameters<View>[0];
type ViewResult = Awaited<ReturnType<View>>;

function answer(body: KubeObject | undefined, status: JsonObject): ViewResult {
  if (body === undefined) throw badRequest('a review needs a body');
  return { code: 201, object: { ...body, metadata: { ...body.metadata, creationTimestamp: null }, status } as JsonObject };
}

function specOf(body: KubeObject | undefined): JsonObject {
  const spec: JsonValue | undefined = body?.spec;
  return isJsonObject(spec) ? spec : {};
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

async function accessReview(deps: Deps, { body }: ViewRequest, user: User): Promise<ViewResult> {
  const attributes = attributesOf(specOf(body), user, body?.kind ?? '');
  const { allowed, reason } = await deps.authorize(attributes);
  return answer(body, { allowed, ...(reason === '' ? {} : { reason }) });
}

/** Its namespace is the request's; a spec that names another one is refused. */
async function localAccessReview(deps: Deps, request: ViewRequest): Promise<ViewResult> {
  const spec = specOf(request.body);
  const resource = isJsonObject(spec.resourceAttributes) ? spec.resourceAttributes : {};
  const { namespace } = request.attributes;
  if (text(resource.namespace) !== namespace)
    throw specError(request, 'spec.resourceAttributes.namespace', `must match the request: ${namespace}`);
  return accessReview(deps, request, subjectOf(spec));
}

function specError({ definition }: ViewRequest, field: string, why: string) {
  return invalid(definition, '', [{ type: 'Invalid', field, detail: `Invalid value: ${why}` }]);
}

function subjectOf(spec: JsonObject): User {
  const uid = text(spec.uid);
  return { name: text(spec.user), groups: texts(spec.groups), ...(uid === '' ? {} : { uid }) };
}

function attributesOf(spec: JsonObject, user: User, kind: string): RequestAttributes {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (isJsonObject(resource) === isJsonObject(path))
    throw invalid({ group: 'authorization.k8s.io', kind }, '', [
      {
        type: 'Invalid',
        field: 'spec.resourceAttributes',
        detail: 'Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
      },
    ]);
  const from = isJsonObject(resource) ? resource : {};
  const base = {
    user,
    verb: text((isJsonObject(path) ? path : from).verb),
    group: text(from.group),
    version: text(from.version),
    resource: text(from.resource),
    subresource: text(from.subresource),
    namespace: text(from.namespace),
    name: text(from.name),
  };
  return isJsonObject(path) ? { ...base, path: text(path.path) } : base;
}

/** Found by asking for every resource that is served: complete for those, silent on paths. */
async function rulesReview(deps: Deps, { body, attributes }: ViewRequest): Promise<ViewResult> {
  const { user } = attributes;
  const namespace = text(specOf(body).namespace) || 'default';
  const every = { user, verb: '*', group: '*', version: '*', resource: '*', subresource: '', namespace, name: '' };
  const all = await deps.authorize(every);
  const resourceRules = all.allowed
    ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]
    : await probedRules(deps, user, namespace);
  const paths = await deps.authorize({ ...every, group: '', version: '', resource: '', verb: 'get', path: '*' });
  const nonResourceRules = paths.allowed ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [];
  return answer(body, { resourceRules, nonResourceRules, incomplete: !all.allowed } as unknown as JsonObject);
}

async function probedRules({ registry, authorize }: Deps, user: User, namespace: string): Promise<object[]> {
  const rules: object[] = [];
  for (const { group, version, plural, verbs, namespaced } of registry().all()) {
    const ask = { user, group, version, resource: plural, subresource: '', namespace: namespaced ? namespace : '', name: '' };
    const allowed: string[] = [];
    for (const verb of verbs) if ((await authorize({ ...ask, verb })).allowed) allowed.push(verb);
    if (allowed.length > 0) rules.push({ verbs: allowed, apiGroups: [group], resources: [plural] });
  }
  return rules;
}

const userInfo = ({ name, uid, groups, extra }: User) => ({
  username: name,
  ...(uid === undefined ? {} : { uid }),
  groups,
  ...(extra === undefined ? {} : { extra }),
});

async function selfReview({ body, attributes }: ViewRequest): Promise<ViewResult> {
  return answer(body, { userInfo: userInfo(attributes.user) } as unknown as JsonObject);
}

/** The token is read as if it had come with a request. */
async function tokenReview(deps: Deps, { body }: ViewRequest): Promise<ViewResult> {
  const token = text(specOf(body).token);
  if (!/^[\x21-\x7e]+$/.test(token)) return answer(body, { authenticated: false, error: 'the token is empty or malformed' });
  const request = new Request('https://token.review/', { headers: { authorization: `Bearer ${token}` } });
  const user = await deps.authenticate(request);
  if (user === undefined) return answer(body, { authenticated: false });
  return answer(body, { authenticated: true, user: userInfo(user) } as unknown as JsonObject);
}
