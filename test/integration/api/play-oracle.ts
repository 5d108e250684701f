/** Plays the steps of the apply oracle on a server over HTTP, as the recorder played them on a real kube-apiserver. */
import type { JsonObject, JsonValue } from '../../../shared/machinery/object.ts';
import type { Answer as Recorded } from '../../lab/apply-oracle/answers.ts';
import { changed } from '../../lab/apply-oracle/record.ts';
import { PATCH_MEDIA_TYPES, type Sequence, type Step } from '../../lab/apply-oracle/sequences.ts';
import type { Answer, TestServer } from '../apiserver/server.ts';

/** What one step was answered. */
export type Reply = { code: number; body: JsonObject };

/** Where the objects of a sequence live. */
export function collectionUrl(namespace: string, { kind }: Pick<Sequence, 'kind'>): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return `${root}/namespaces/${namespace}/${kind.plural}`;
}

/** Sends one step; after a write to /scale the object itself is read, as the recording has it. */
export async function playStep(api: TestServer, collection: string, name: string, step: Step): Promise<Reply> {
  const reply = await send(api, collection, name, step);
  const isScale = step.type === 'patch' && step.subresource === 'scale' && reply.code < 300;
  const shown = isScale ? await api.send('GET', `${collection}/${name}`) : reply;
  return { code: reply.code, body: shown.json() };
}

async function send(api: TestServer, collection: string, name: string, step: Step): Promise<Answer> {
  if (step.type === 'create') return api.send('POST', `${collection}?fieldManager=${step.manager}`, { body: step.object });
  const url = `${collection}/${name}${step.subresource === '' ? '' : `/${step.subresource}`}?fieldManager=${step.manager}`;
  if (step.type === 'apply')
    return api.send('PATCH', `${url}&force=${step.force}`, { body: step.config, type: 'application/apply-patch+yaml' });
  if (step.type === 'patch') return api.send('PATCH', url, { body: step.body, type: PATCH_MEDIA_TYPES[step.format] });
  const live = await api.send('GET', `${collection}/${name}`);
  return api.send('PUT', url, { body: changed(live.json(), step) });
}

/**
 * What differs between the recorded answer and ours, as `path: recorded ..., ours ...`. Upstream counts a generation of a NetworkPolicy when an
 * empty list is sent that it does not store: ours counts what changed.
 */
export function differencesOf(recorded: Recorded, ours: Reply, kind: string): string[] {
  if (recorded.code !== ours.code)
    return [`code: recorded ${recorded.code} ${text(recorded.body.message)}, ours ${ours.code} ${text(ours.body.message)}`];
  if (ours.code >= 300) return differences(statusOf(recorded.body), statusOf(ours.body), '');
  const found = differences(comparable(recorded.body, kind), comparable(ours.body, kind), '');
  return found.filter((difference) => !(kind === 'NetworkPolicy' && difference.startsWith('metadata.generation: ')));
}

const text = (value: JsonValue | undefined) => JSON.stringify(value ?? '').slice(0, 600);

/**
 * Upstream lists causes of several managers in random order, and shows a pod's forbidden change as a difference of Go structs, which is left
 * out here. A client of the recording that sent back a Status was told so in words of its own.
 */
function statusOf({ message, reason, details }: JsonObject): JsonObject {
  if (reason === 'BadRequest' && isAboutStatus(message)) return { reason };
  const causes = (details as { causes?: JsonValue[] } | null | undefined)?.causes ?? [];
  const sorted = causes.map((cause) => JSON.stringify(cause)).sort();
  // Go tells an empty map from none when it prints it.
  const short = String(message).split('\n@@', 1)[0]?.slice(0, 400).replace('Invalid value: {}:', 'Invalid value: null:') ?? '';
  return { reason: reason ?? '', message: short, ...(reason === 'Conflict' ? { causes: sorted } : {}) };
}

function isAboutStatus(message: JsonValue | undefined): boolean {
  return (
    String(message).startsWith('Status in version "v1" cannot be handled') ||
    String(message).startsWith('the API version in the data (v1)')
  );
}

/** Without what every server draws for itself: identity, versions, times, addresses. */
function comparable(body: JsonObject, kind: string): JsonObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    namespace: _place,
    managedFields,
    ...metadata
  } = body.metadata as JsonObject;
  const entries = ((managedFields ?? []) as JsonObject[]).map(({ time: _time, ...entry }) => entry);
  const object: JsonObject = { ...body, metadata: { ...metadata, managedFields: entries } };
  if (kind !== 'Service') return object;
  return { ...object, spec: withoutAddresses(object.spec as JsonObject) };
}

function withoutAddresses(spec: JsonObject): JsonObject {
  const isDrawn = typeof spec.clusterIP === 'string' && spec.clusterIP !== 'None';
  const ports = (spec.ports as JsonObject[] | undefined)?.map((port) => ('nodePort' in port ? { ...port, nodePort: 0 } : port));
  return { ...spec, ...(ports ? { ports } : {}), ...(isDrawn ? { clusterIP: 'drawn', clusterIPs: ['drawn'] } : {}) };
}

function differences(recorded: JsonValue | undefined, ours: JsonValue | undefined, path: string): string[] {
  if (isMap(recorded) && isMap(ours)) {
    const keys = new Set([...Object.keys(recorded), ...Object.keys(ours)]);
    const read = (map: JsonObject, key: string) => (Object.hasOwn(map, key) ? map[key] : undefined);
    return [...keys].flatMap((key) => differences(read(recorded, key), read(ours, key), path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(recorded) && Array.isArray(ours) && recorded.length === ours.length)
    return recorded.flatMap((item, index) => differences(item, ours[index], `${path}[${index}]`));
  if (JSON.stringify(recorded) === JSON.stringify(ours)) return [];
  return [`${path}: recorded ${JSON.stringify(recorded)}, ours ${JSON.stringify(ours)}`];
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
