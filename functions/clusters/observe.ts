/** From what a member shows of its copies to the observed part of dispatch records. */

import type { ObjectRef } from '../../shared/apis/stored.ts';
import { copyIdentity } from '../../shared/federation/dispatch/transitions.ts';
import { FEDERATED_UID_ANNOTATION } from '../../shared/federation/keys.ts';
import { type DispatchRecord, dispatchOwner } from '../../shared/federation/records.ts';
import { isSameReport, observedOf } from '../../shared/federation/status/observed.ts';
import { type FederatedType, federatedRef } from '../../shared/federation/type-config.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';

/** A copy as last seen on a member; `gone`: it was deleted there. */
export type Observation = { cluster: string; type: FederatedType; copy: KubeObject; gone: boolean };

/** `unchanged`: nothing to store. `suspect`: the dispatcher is to have a look. */
export type Folded = { type: 'unchanged' } | { type: 'changed'; record: DispatchRecord; suspect: boolean; reported: boolean };

/** Where the FederatedObject of a copy lies. */
export function federatedRefOf({ type, copy }: Pick<Observation, 'type' | 'copy'>): ObjectRef {
  return federatedRef(type, { namespace: copy.metadata.namespace ?? '', name: copy.metadata.name ?? '' });
}

/** Record owner of a copy. */
export function ownerOf(observation: Observation): string {
  return dispatchOwner(federatedRefOf(observation));
}

/**
 * True when a copy has arrived where its controllers bring it: its status speaks of its present generation, and all replicas that it asks for are ready and
 * new. Kinds whose status says none of that are always at rest, and so is a copy that is gone.
 */
export function isAtRest({ copy, gone }: Pick<Observation, 'copy' | 'gone'>): boolean {
  if (gone || copy.status === undefined) return gone || copy.spec?.replicas === undefined;
  const { observedGeneration, replicas, readyReplicas = 0, updatedReplicas = replicas } = copy.status;
  if (observedGeneration !== undefined && observedGeneration !== copy.metadata.generation) return false;
  const wanted = copy.spec?.replicas;
  if (typeof wanted !== 'number') return true;
  return (replicas ?? 0) === wanted && readyReplicas === wanted && (updatedReplicas ?? 0) === wanted;
}

/** Folds an observation into the record. Events may come late: one that is older than what the dispatcher saw last says nothing. */
export function fold(record: DispatchRecord, observation: Observation, now: number): Folded {
  const { copy, gone } = observation;
  const isOurCopy = record.member === undefined || record.member.uid === copy.metadata.uid;
  if (gone) return isOurCopy ? foldGone(record, now) : { type: 'unchanged' };
  const observed = observedOf(observation.type.object, copy, now, record.retained ?? []);
  const isNewer =
    isOurCopy && record.member !== undefined && Number(copy.metadata.resourceVersion) > Number(record.member.resourceVersion);
  const member = isNewer ? copyIdentity(copy) : record.member;
  const isSame = isSameReport(record.observed, observed);
  if (isSame && !isNewer) return { type: 'unchanged' };
  const isTaken = record.owned !== undefined && observed.owned !== record.owned;
  const isTerminating = copy.metadata.deletionTimestamp !== undefined;
  return {
    type: 'changed',
    record: { ...record, ...(member ? { member } : {}), observed },
    suspect: !isOurCopy || (isTaken && !isTerminating && isNewer),
    reported: !isSame,
  };
}

function foldGone(record: DispatchRecord, now: number): Folded {
  if (record.observed?.gone) return { type: 'unchanged' };
  return { type: 'changed', record: { ...record, observed: { at: now, gone: true } }, suspect: true, reported: true };
}

/** The record for a managed copy that nobody remembers: the dispatcher finds out whether it is wanted, and deletes it if not. */
export function strayRecord({ type, copy }: Observation, clusterUid: string, now: number): DispatchRecord {
  const { group, version, pluralName } = type.type;
  const { namespace = '', name = '', annotations } = copy.metadata;
  const federatedUid = annotations?.[FEDERATED_UID_ANNOTATION];
  return {
    state: 'PendingCreate',
    decision: 0,
    hash: '',
    clusterUid,
    ...(federatedUid ? { federatedUid } : {}),
    target: { group, version, resource: pluralName, namespace, name },
    attempts: 0,
    changedAt: now,
  };
}
