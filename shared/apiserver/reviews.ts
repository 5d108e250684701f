/** Review kinds as views over authentication and authorization: what `kubectl auth can-i` and `auth whoami` ask. Nothing is stored. */
import type { Registry } from '../apis/definition.ts';
import type { JsonObject, JsonValue, KubeObject } from '../machinery/object.ts';
import { badRequest, invalid } from '../machinery/status.ts';
import { formatTime } from '../machinery/time.ts';
import { accessQuestion, type ReviewKind, reviewErrors } from './authz/access-review.ts';
import { resourceRules } from './authz/rules-review.ts';
import { isJsonObject } from './http/body.ts';
import type { ApiServerDeps, User, View } from './server.ts';

type Deps = Pick<ApiServerDeps, 'authenticate' | 'authorize' | 'clock' | 'reviewToken' | 'rbac' | 'serviceAccounts'> & {
  registry: () => Registry;
};

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';

/** Views by `group/resource`, to be merged under those of the server's own deps. */
export function reviewViews(deps: Deps): ReadonlyMap<string, View> {
  return new Map<string, View>([
    [`${AUTHORIZATION}/selfsubjectaccessreviews`, (request) => accessReview(deps, request, 'SelfSubjectAccessReview')],
    [`${AUTHORIZATION}/subjectaccessreviews`, (request) => accessReview(deps, request, 'SubjectAccessReview')],
    [`${AUTHORIZATION}/localsubjectaccessreviews`, (request) => accessReview(deps, request, 'LocalSubjectAccessReview')],
    [`${AUTHORIZATION}/selfsubjectrulesreviews`, (request) => rulesReview(deps, request)],
    [`${AUTHENTICATION}/selfsubjectreviews`, (request) => selfReview(deps, request)],
    [`${AUTHENTICATION}/tokenreviews`, (request) => tokenReview(deps, request)],
  ]);
}

/** Upstream's errors of reviews name the group alone. */
const NAMELESS = { group: AUTHORIZATION, kind: '' };

type ViewRequest = Parameters<View>[0];
type ViewResult = Awaited<ReturnType<View>>;

function answer(body: KubeObject, rest: { status: object; spec?: object; createdAt?: string }): ViewResult {
  const { createdAt, ...parts } = rest;
  const { creationTimestamp: _given, ...metadata } = body.metadata;
  const stamped = createdAt === undefined ? metadata : { ...metadata, creationTimestamp: createdAt };
  return { code: 201, object: { ...body, metadata: stamped, ...parts } as unknown as JsonObject };
}

function required(body: KubeObject | undefined): KubeObject {
  if (body === undefined) throw badRequest('a review needs a body');
  return body;
}

function specOf(body: KubeObject): JsonObject {
  const spec: JsonValue | undefined = body.spec;
  return isJsonObject(spec) ? spec : {};
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
const texts = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

async function accessReview(deps: Deps, request: ViewRequest, kind: ReviewKind): Promise<ViewResult> {
  const body = required(request.body);
  const { namespace, user } = request.attributes;
  if (kind === 'LocalSubjectAccessReview' && body.metadata.namespace && body.metadata.namespace !== namespace)
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  const spec = specOf(body);
  const errors = reviewErrors(kind, body.metadata, spec, namespace);
  if (errors.length > 0) throw invalid(NAMELESS, '', errors);
  const who = kind === 'SelfSubjectAccessReview' ? user : subjectOf(spec);
  const { allowed, reason } = await deps.authorize(accessQuestion(spec, who));
  return answer(body, { status: { allowed, ...(reason === '' ? {} : { reason }) } });
}

function subjectOf(spec: JsonObject): User {
  const uid = text(spec.uid);
  const extra = isJsonObject(spec.extra) ? Object.entries(spec.extra).map(([key, value]) => [key, texts(value)] as const) : [];
  return {
    name: text(spec.user),
    groups: texts(spec.groups),
    ...(uid === '' ? {} : { uid }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/** From the roles where they decide; else found by asking for every resource that is served. */
async function rulesReview(deps: Deps, { body: given, attributes }: ViewRequest): Promise<ViewResult> {
  const body = required(given);
  const namespace = text(specOf(body).namespace);
  if (namespace === '') throw badRequest('no namespace on request');
  // Upstream does not repeat what was asked.
  return answer(body, { spec: {}, status: await resourceRules(deps, attributes.user, namespace) });
}

const userInfo = ({ name, uid, groups, extra }: User) => ({
  ...(name === '' ? {} : { username: name }),
  ...(uid === undefined ? {} : { uid }),
  ...(groups.length === 0 ? {} : { groups }),
  ...(extra === undefined ? {} : { extra }),
});

async function selfReview({ clock }: Deps, { body, attributes }: ViewRequest): Promise<ViewResult> {
  return answer(required(body), { status: { userInfo: userInfo(attributes.user) }, createdAt: formatTime(clock.now()) });
}

/** Whose a token is, for the audiences that are asked for, or for this server's own. */
async function tokenReview(deps: Deps, { body: given }: ViewRequest): Promise<ViewResult> {
  const body = required(given);
  const spec = specOf(body);
  const token = text(spec.token);
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const asked = texts(spec.audiences);
  const audiences = asked.length > 0 ? asked : (deps.serviceAccounts?.audiences ?? []);
  const outcome = deps.reviewToken ? await deps.reviewToken(token, audiences) : await readAsRequest(deps, token, audiences);
  if (outcome.type === 'known') {
    const known = outcome.audiences.length === 0 ? {} : { audiences: outcome.audiences };
    return answer(body, { status: { authenticated: true, user: userInfo(outcome.user), ...known } });
  }
  const error = outcome.type === 'refused' ? outcome.why : 'invalid bearer token';
  return answer(body, { status: { user: {}, error } });
}

/** The token is read as if it had come with a request. */
async function readAsRequest(deps: Deps, token: string, audiences: readonly string[]) {
  if (!/^[\x21-\x7e]+$/.test(token)) return { type: 'unknown' } as const;
  const request = new Request('https://token.review/', { headers: { authorization: `Bearer ${token}` } });
  const user = await deps.authenticate(request);
  return user === undefined ? ({ type: 'unknown' } as const) : ({ type: 'known', user, audiences } as const);
}
