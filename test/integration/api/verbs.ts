/** Calls every verb of one resource the way a client does, and notes which were called. */
import { expect } from 'vitest';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import type { Answer, TestServer } from '../apiserver/server.ts';
import { validBody } from './bodies.ts';

/** A resource as aggregated discovery lists it, with the group and version it was found under. */
export type Listed = {
  group: string;
  version: string;
  resource: string;
  scope: 'Namespaced' | 'Cluster';
  verbs: string[];
  responseKind: { kind: string };
  subresources?: { subresource: string; verbs: string[] }[];
};

/** What a round of calls needs. `called` collects `verb` and `verb subresource`. */
export type Round = { api: TestServer; listed: Listed; called: Set<string> };

export const JSON_PATCH = 'application/json-patch+json';
export const MERGE_PATCH = 'application/merge-patch+json';
export const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY_PATCH = 'application/apply-patch+yaml';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

export const apiVersionOf = ({ group, version }: Listed): string => (group === '' ? version : `${group}/${version}`);

/** URL of the collection, in namespace default. */
export function collectionOf(listed: Listed): string {
  const root = listed.group === '' ? `/api/${listed.version}` : `/apis/${listed.group}/${listed.version}`;
  return listed.scope === 'Namespaced' ? `${root}/namespaces/default/${listed.resource}` : `${root}/${listed.resource}`;
}

/** Is the kind one of Kubernetes' own? Only those take strategic merge patches. */
export const isBuiltIn = ({ group }: Listed): boolean =>
  !group.includes('.') || (group.endsWith('.k8s.io') && group !== 'multicluster.x-k8s.io');

/** Plays all listed verbs on one object, from its creation to its end, and again for deletecollection. */
export async function playVerbs(round: Round): Promise<void> {
  const { listed, called } = round;
  const collection = collectionOf(listed);
  const body = validBody(apiVersionOf(listed), listed.responseKind.kind);
  if (listed.resource === 'bindings') return playBinding(round, collection);
  if (listed.verbs.length === 1) return playReview(round, collection, body);
  if (!listed.verbs.includes('create')) return playReadOnly(round, collection);
  const name = body.metadata.name ?? '';
  const one = `${collection}/${name}`;
  const version = await create(round, collection, body);
  await read(round, collection, body);
  await watch(round, collection, name, version);
  await change(round, one, body);
  await playSubresources(round, one);
  called.add('delete');
  // Some kinds would orphan their dependents and wait for who does it.
  ok(await round.api.send('DELETE', `${one}?propagationPolicy=Background`));
  await end(round, one);
  if (listed.verbs.includes('deletecollection')) await collect(round, collection, body);
}

/** The object of an answer that must be a success. */
export function ok(answer: Answer, code = 200): KubeObject {
  expect(answer.code, answer.text.slice(0, 600)).toBe(code);
  return answer.json() as KubeObject;
}

async function playReview({ api, listed, called }: Round, collection: string, body: KubeObject): Promise<void> {
  called.add('create');
  const answer = ok(await api.send('POST', collection, { body }), 201);
  expect([answer.apiVersion, answer.kind]).toEqual([apiVersionOf(listed), listed.responseKind.kind]);
  expect(answer.status).toBeDefined();
}

/** A Binding is about a pod, which is not there. */
async function playBinding({ api, called }: Round, collection: string): Promise<void> {
  called.add('create');
  const answer = await api.send('POST', collection, { body: binding('none') });
  expect([answer.code, answer.json().message]).toEqual([404, 'pods "none" not found']);
}

const binding = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Binding',
  metadata: { name },
  target: { apiVersion: 'v1', kind: 'Node', name: 'n' },
});

/** What is asked of an object by a POST, tried out: the object has more to do. */
const QUESTIONS: Readonly<Record<string, (name: string) => object>> = {
  binding,
  eviction: (name) => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } }),
};

/** ComponentStatus: nothing here reports any. */
async function playReadOnly({ api, listed, called }: Round, collection: string): Promise<void> {
  called.add('list').add('get');
  expect(ok(await api.send('GET', collection)).items).toEqual([]);
  const missing = await api.send('GET', `${collection}/none`);
  expect([missing.code, missing.json().message]).toEqual([404, `${listed.resource} "none" not found`]);
}

/** Creates, and answers the version of the list before. */
async function create({ api, listed, called }: Round, collection: string, body: KubeObject): Promise<string> {
  called.add('create').add('list');
  const before = ok(await api.send('GET', `${collection}?limit=1`));
  expect(before.kind).toBe(`${listed.responseKind.kind}List`);
  const tried = ok(await api.send('POST', `${collection}?dryRun=All`, { body }), 201);
  expect((await api.send('GET', `${collection}/${tried.metadata.name}`)).code).toBe(404);
  const created = ok(await api.send('POST', collection, { body }), 201);
  expect([created.apiVersion, created.kind]).toEqual([apiVersionOf(listed), listed.responseKind.kind]);
  expect(created.metadata).toMatchObject({
    name: body.metadata.name,
    uid: expect.any(String),
    creationTimestamp: expect.any(String),
  });
  expect((await api.send('POST', collection, { body })).json().reason).toBe('AlreadyExists');
  return String(before.metadata.resourceVersion);
}

async function read({ api, called }: Round, collection: string, { metadata: { name } }: KubeObject): Promise<void> {
  called.add('get');
  const got = ok(await api.send('GET', `${collection}/${name}`));
  const listed = ok(await api.send('GET', `${collection}?fieldSelector=metadata.name=${name}`)).items as JsonObject[];
  expect(listed.map(({ metadata }) => metadata)).toEqual([got.metadata]);
  const table = ok(await api.send('GET', collection, { accept: TABLE })) as unknown as {
    columnDefinitions: { name: string }[];
    rows: { cells: unknown[] }[];
  };
  for (const { cells } of table.rows) expect(cells).toHaveLength(table.columnDefinitions.length);
  expect(table.columnDefinitions.length).toBeGreaterThan(0);
}

async function watch({ api, called }: Round, collection: string, name: string, version: string): Promise<void> {
  called.add('watch');
  const reading = await api.watch(`${collection}?watch=true&resourceVersion=${version}&fieldSelector=metadata.name=${name}`);
  const event = await reading.next();
  expect([event?.type, event?.object.metadata.name]).toEqual(['ADDED', name]);
  await reading.cancel();
}

/** PUT, and a patch of each format: each adds an annotation, and all of them are there in the end. */
async function change({ api, listed, called }: Round, one: string, body: KubeObject): Promise<void> {
  called.add('update').add('patch');
  const live = ok(await api.send('GET', one));
  live.metadata.annotations = { ...live.metadata.annotations, put: '1' };
  const put = ok(await api.send('PUT', one, { body: live }));
  expect(Number(put.metadata.resourceVersion)).toBeGreaterThan(Number(live.metadata.resourceVersion));
  const stale = await api.send('PUT', one, { body: { ...live, metadata: { ...live.metadata, annotations: { put: '2' } } } });
  expect([stale.code, stale.json().reason]).toEqual([409, 'Conflict']);
  const add = [{ op: 'add', path: '/metadata/annotations/json', value: '1' }];
  ok(await api.send('PATCH', one, { body: add, type: JSON_PATCH }));
  ok(await api.send('PATCH', one, { body: annotation('merge'), type: MERGE_PATCH }));
  const strategic = await api.send('PATCH', one, { body: annotation('strategic'), type: STRATEGIC_PATCH });
  expect(strategic.code).toBe(isBuiltIn(listed) ? 200 : 415);
  const config = { ...applied(body), metadata: { name: body.metadata.name, ...annotation('apply').metadata } };
  const forced = `${one}?fieldManager=verbs&force=true`;
  const merged = ok(await api.send('PATCH', forced, { body: config, type: APPLY_PATCH }));
  expect(merged.metadata.managedFields?.some(({ manager, operation }) => manager === 'verbs' && operation === 'Apply')).toBe(
    true,
  );
  const wanted = ['put', 'json', 'merge', 'apply', ...(isBuiltIn(listed) ? ['strategic'] : [])];
  expect(merged.metadata.annotations).toMatchObject(Object.fromEntries(wanted.map((key) => [key, '1'])));
  expect(ok(await api.send('GET', one))).toEqual(merged);
}

const annotation = (key: string) => ({ metadata: { annotations: { [key]: '1' } } });

/** stringData is for writing only, and belongs to nobody's configuration here. */
function applied({ apiVersion, kind }: KubeObject): JsonObject {
  return { apiVersion, kind };
}

async function playSubresources(round: Round, one: string): Promise<void> {
  for (const { subresource, verbs } of round.listed.subresources ?? []) {
    const question = QUESTIONS[subresource];
    if (question) {
      round.called.add(`create ${subresource}`);
      ok(await round.api.send('POST', `${one}/${subresource}?dryRun=All`, { body: question(one.split('/').at(-1) ?? '') }), 201);
    } else if (subresource === 'scale') await scale(round, one);
    else if (subresource !== 'finalize') await part(round, one, { subresource, verbs });
  }
}

async function scale({ api, called }: Round, one: string): Promise<void> {
  for (const verb of ['get', 'update', 'patch']) called.add(`${verb} scale`);
  const shown = ok(await api.send('GET', `${one}/scale`));
  expect(shown.kind).toBe('Scale');
  ok(await api.send('PUT', `${one}/scale`, { body: { ...shown, spec: { replicas: 3 } } }));
  ok(await api.send('PATCH', `${one}/scale`, { body: { spec: { replicas: 4 } }, type: MERGE_PATCH }));
  expect(ok(await api.send('GET', one)).spec.replicas).toBe(4);
}

/** A part of the object that is stored with it: read, written back, and patched in each format. */
async function part(
  { api, called, listed }: Round,
  one: string,
  { subresource, verbs }: { subresource: string; verbs: string[] },
): Promise<void> {
  const url = `${one}/${subresource}`;
  for (const verb of verbs) called.add(`${verb} ${subresource}`);
  const live = ok(await api.send('GET', url));
  expect(live.kind).toBe(listed.responseKind.kind);
  ok(await api.send('PUT', url, { body: live }));
  ok(await api.send('PATCH', url, { body: [], type: JSON_PATCH }));
  ok(await api.send('PATCH', url, { body: {}, type: MERGE_PATCH }));
  if (isBuiltIn(listed)) ok(await api.send('PATCH', url, { body: {}, type: STRATEGIC_PATCH }));
  const { apiVersion, kind, metadata } = live;
  ok(
    await api.send('PATCH', `${url}?fieldManager=verbs`, {
      body: { apiVersion, kind, metadata: { name: metadata.name } },
      type: APPLY_PATCH,
    }),
  );
  expect(ok(await api.send('GET', one)).spec).toEqual(live.spec);
}

/** Gone at once, but for what is protected while it is in use, and for namespaces, which wait for their `finalize`. */
async function end({ api, listed, called }: Round, one: string): Promise<void> {
  await release(api, one);
  const left = await api.send('GET', one);
  if (listed.resource !== 'namespaces') {
    expect([left.code, left.json().reason]).toEqual([404, 'NotFound']);
    return;
  }
  called.add('update finalize');
  const terminating = ok(left);
  expect(terminating.status.phase).toBe('Terminating');
  ok(await api.send('PUT', `${one}/finalize`, { body: { ...terminating, spec: { finalizers: [] } } }));
  expect((await api.send('GET', one)).code).toBe(404);
}

/** Takes off the finalizers that admission has put on: what their controllers would do. */
async function release(api: TestServer, one: string): Promise<void> {
  const left = await api.send('GET', one);
  if (left.code === 200 && left.json().metadata.deletionTimestamp && left.json().metadata.finalizers)
    ok(await api.send('PATCH', one, { body: { metadata: { finalizers: null } }, type: MERGE_PATCH }));
}

async function collect({ api, called }: Round, collection: string, body: KubeObject): Promise<void> {
  called.add('deletecollection');
  const labels = { ...body.metadata.labels, 'verbs/collect': 'yes' };
  ok(await api.send('POST', collection, { body: { ...body, metadata: { ...body.metadata, labels } } }), 201);
  const others = ok(await api.send('GET', `${collection}?labelSelector=!verbs/collect`)).items as unknown[];
  ok(await api.send('DELETE', `${collection}?labelSelector=verbs/collect=yes&propagationPolicy=Background`));
  await release(api, `${collection}/${body.metadata.name}`);
  expect((await api.send('GET', `${collection}/${body.metadata.name}`)).code).toBe(404);
  expect(ok(await api.send('GET', collection)).items).toEqual(others);
}
