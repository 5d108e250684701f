/**
 * core/v1 Events of the workers. The same reason and message about the same object is one Event whose count grows
 * (client-go's correlator keeps such a count in memory; here it is in the name, so that every process counts on the same one).
 */
import type { ResourceDefinition } from '../apis/definition.ts';
import { toStored } from '../apis/stored.ts';
import { sha256Hex } from '../machinery/canonical.ts';
import type { KubeObject } from '../machinery/object.ts';
import { formatTime } from '../machinery/time.ts';
import type { WriteOperation } from '../ports/object-store.ts';
import type { ObjectReader } from './objects.ts';

/** The scope that holds Events of both groups. */
export const EVENT_SCOPE = '/events';
/** Events are kept this long after they were last seen. */
export const EVENT_KEPT_MS = 3_600_000;
/** An Event that repeats faster than this is not written again: its count would cost a write per repeat. */
const REPEAT_MS = 10_000;
const COMPONENT = 'lamiral';
/** Length limit of `message`, as kube-apiserver has it. */
const MESSAGE_MAX = 1024;

/** How far the work is that tells of an object: it was decided on, sent to clusters, seen there. */
export type EventStep = 'decided' | 'sent' | 'seen';

/** `step` is `decided` where it is left out. */
export type WorkerEvent = { type: 'Normal' | 'Warning'; reason: string; message: string; step?: EventStep };

/**
 * First digit behind the dot of an Event's name. kubectl sorts what it describes by whole seconds, and leaves those of one second in the order of the list,
 * which is that of names; a time in the name would do as well, but the next process would not find the Event to count on.
 */
const STEP_DIGITS: Readonly<Record<EventStep, string>> = { decided: '0', sent: '1', seen: '2' };

export type EventDeps = { reader: ObjectReader; definition: ResourceDefinition };

/** The store operation that records an event about `involved` at `now` (epoch ms); undefined when the same was recorded moments ago. */
export async function eventOperation(
  deps: EventDeps,
  involved: KubeObject,
  event: WorkerEvent,
  { now, uid }: { now: number; uid: string },
): Promise<WriteOperation | undefined> {
  const { namespace, name } = eventKey(involved, event);
  const known = await deps.reader.get({ scope: EVENT_SCOPE, namespace, name });
  const time = formatTime(now);
  if (!known)
    return {
      type: 'create',
      object: toStored(deps.definition, newEvent(involved, event, { namespace, name, uid, time })),
    };
  if (now - Date.parse(String(known.object.lastTimestamp)) < REPEAT_MS) return undefined;
  const repeated: KubeObject = { ...known.object, count: Number(known.object.count ?? 1) + 1, lastTimestamp: time };
  const object = { ...toStored(deps.definition, repeated), managedFields: known.stored.managedFields };
  return { type: 'update', object, expected: known.stored.resourceVersion };
}

function eventKey(involved: KubeObject, event: WorkerEvent): { namespace: string; name: string } {
  const { name = '', namespace, uid } = involved.metadata;
  const digest = sha256Hex([involved.kind, uid, event.type, event.reason, event.message].join('\n')).slice(0, 15);
  // 253 characters are allowed; 236 leave room for the dot, the step and the digest.
  return { namespace: namespace ?? 'default', name: `${name.slice(0, 236)}.${STEP_DIGITS[event.step ?? 'decided']}${digest}` };
}

function newEvent(
  involved: KubeObject,
  event: WorkerEvent,
  { namespace, name, uid, time }: { namespace: string; name: string; uid: string; time: string },
): KubeObject {
  const { metadata } = involved;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace, uid, creationTimestamp: time },
    involvedObject: {
      apiVersion: involved.apiVersion,
      kind: involved.kind,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      name: metadata.name,
      uid: metadata.uid,
    },
    reason: event.reason,
    message: event.message.slice(0, MESSAGE_MAX),
    source: { component: COMPONENT },
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    type: event.type,
    eventTime: null,
    reportingComponent: COMPONENT,
    reportingInstance: '',
  };
}
