/** What to do next where a cluster is to have no copy. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import {
  ADOPTED_ANNOTATION,
  DECISION_ANNOTATION,
  FEDERATED_UID_ANNOTATION,
  MANAGED_LABEL,
  PROPAGATED_ANNOTATION_KEYS_ANNOTATION,
  PROPAGATED_LABEL_KEYS_ANNOTATION,
  SOURCE_GENERATION_ANNOTATION,
} from '../keys.ts';
import type { DispatchDecision, DispatchInput, Wanted } from './actions.ts';
import { isLeftBehind, orphanMode } from './adopt.ts';
import { nextRecord, recordedDecision, WAIT_FOR_REMOVAL_MS, waitDelayMs } from './transitions.ts';

/** Between two looks at whether a replacement is ready. */
const WAIT_FOR_REPLACEMENT_MS = 5_000;

const OUR_ANNOTATIONS = [
  ADOPTED_ANNOTATION,
  DECISION_ANNOTATION,
  FEDERATED_UID_ANNOTATION,
  PROPAGATED_ANNOTATION_KEYS_ANNOTATION,
  PROPAGATED_LABEL_KEYS_ANNOTATION,
  SOURCE_GENERATION_ANNOTATION,
];

type Absent = Extract<Wanted, { type: 'absent' }>;

/** A record stays until its copy is really gone, however long the cluster is away. */
export function decideRemoval(input: DispatchInput, wanted: Absent): DispatchDecision {
  const { record, cluster, copy, decision } = input;
  // A copy without a record: a create that arrived after its delete. Whoever finds one hands it in.
  if (!record && copy.type !== 'present') return { next: { type: 'forget', reason: 'nothing was sent' } };
  if (record && recordedDecision(input) > decision && wanted.why === 'deselected')
    return { next: { type: 'nothing', reason: `decision ${record.decision} is newer than ${decision}` } };
  if (!cluster.joined || (cluster.terminating && !cluster.cascading))
    return { next: { type: 'forget', reason: `cluster ${cluster.name} is leaving: what is there stays there` } };
  if (!cluster.ready) return park(input, `cluster ${cluster.name} is not ready: the copy is removed when it is back`);
  if (wanted.why === 'deselected' && !wanted.replacementReady) {
    const message = `kept in cluster ${cluster.name} until a replacement is ready elsewhere`;
    return wait(input, message, WAIT_FOR_REPLACEMENT_MS);
  }
  if (!cluster.accepting) return park(input, `cluster ${cluster.name} takes no calls at present: the copy is removed later`);
  if (copy.type === 'unknown') return { next: { type: 'read', reason: 'what is removed is looked at first' } };
  if (copy.type === 'absent') return { next: { type: 'forget', reason: 'the copy is gone' } };
  return removeCopy(input, copy.object);
}

function removeCopy(input: DispatchInput, copy: KubeObject): DispatchDecision {
  const { cluster, federated, record } = input;
  if (copy.metadata.labels?.[MANAGED_LABEL] !== 'true')
    return { next: { type: 'forget', reason: 'the object there is not managed' } };
  if (isOfAnother(input, copy))
    return { next: { type: 'forget', reason: 'the object there belongs to another FederatedObject' } };
  if (copy.metadata.deletionTimestamp)
    return wait(input, `the copy in cluster ${cluster.name} is being deleted`, WAIT_FOR_REMOVAL_MS);
  const { uid = '', resourceVersion = '' } = copy.metadata;
  if (isLeftBehind(copy, orphanMode(federated.annotations) ?? record?.orphan))
    return {
      next: { type: 'orphan', patch: unmarkPatch({ uid, resourceVersion }), reason: 'left behind, as its annotation says' },
    };
  return { next: { type: 'delete', preconditions: { uid, resourceVersion }, reason: 'not wanted here' } };
}

/** A copy of another FederatedObject. One that an earlier life of this one left is known by the record, and is ours to remove. */
function isOfAnother({ federated, record }: DispatchInput, copy: KubeObject): boolean {
  const owner = copy.metadata.annotations?.[FEDERATED_UID_ANNOTATION];
  if (owner === undefined || federated.uid === '' || owner === federated.uid) return false;
  return owner !== record?.federatedUid && owner !== record?.formerUid;
}

/** Takes our label and annotations off. */
export function unmarkPatch(preconditions: { uid: string; resourceVersion: string }): JsonObject {
  const annotations = Object.fromEntries(OUR_ANNOTATIONS.map((key) => [key, null]));
  return { metadata: { ...preconditions, labels: { [MANAGED_LABEL]: null }, annotations } };
}

/** The FederatedObject may be gone when the member is back: what it says of leaving copies behind stays with the record. */
function park(input: DispatchInput, message: string): DispatchDecision {
  const parked = nextRecord(input, 'WaitingForRemoval', message);
  const orphan = orphanMode(input.federated.annotations);
  const record = orphan === undefined || orphan === parked.orphan ? parked : { ...parked, orphan };
  return { next: { type: 'park', reason: message }, record };
}

function wait(input: DispatchInput, message: string, firstMs: number): DispatchDecision {
  const record = nextRecord(input, 'WaitingForRemoval', message);
  return { next: { type: 'wait', reason: message, delayMs: waitDelayMs(record.changedAt, input.now, firstMs) }, record };
}
