/** What aggregation works on: the reports of the members, and which of them count for what. */
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { DECISION_ANNOTATION } from '../keys.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';
import type { DispatchRecord } from '../records.ts';

/** One cluster as the status function sees it. */
export type ReportingCluster = { name: string; record: DispatchRecord | undefined; reachable: boolean };

/** A member's report. `generation` is that of its copy: a status that has observed it is of the present content; undefined when not known. */
export type Member = { cluster: string; status: JsonObject; isSelected: boolean; generation: number | undefined };

export type AggregateContext = {
  source: KubeObject;
  /** All reports, by cluster name: also of clusters that are still to be cleared, whose pods still run. */
  members: readonly Member[];
  /** Selected clusters that have reported nothing yet, by name. */
  silent: readonly string[];
  /** The template is the source's, and every selected cluster has accepted the present decision. */
  isUpToDate: boolean;
  now: number;
};

/** Makes the whole `.status` of a source. */
export type Aggregator = (context: AggregateContext) => JsonObject;

export type AggregateInput = {
  source: KubeObject;
  federated: KubeObject;
  clusters: readonly ReportingCluster[];
  /** Epoch ms. */
  now: number;
};

/** Reads the records. Clusters may be given in any order. */
export function aggregateContext({ source, federated, clusters, now }: AggregateInput): AggregateContext {
  const selected = placedClusters(federated);
  const byName = new Map(clusters.map((cluster) => [cluster.name, cluster.record]));
  const members = [...byName].flatMap(([cluster, record]) => memberOf(cluster, record, selected.has(cluster)));
  const reported = new Set(members.map(({ cluster }) => cluster));
  return {
    source,
    members: members.sort((a, b) => (a.cluster < b.cluster ? -1 : 1)),
    silent: [...selected].filter((cluster) => !reported.has(cluster)).sort(),
    isUpToDate: isUpToDate(
      source,
      federated,
      [...selected].map((cluster) => byName.get(cluster)),
    ),
    now,
  };
}

/** Names of the clusters that the FederatedObject is placed in: the union over controllers. */
export function placedClusters(federated: KubeObject): Set<string> {
  type List = { placement?: { cluster?: string }[] | null };
  const lists = (federated.spec?.placements ?? []) as List[];
  return new Set(lists.flatMap(({ placement }) => placement ?? []).flatMap(({ cluster }) => cluster ?? []));
}

/** Number of the decision that a FederatedObject carries; one made by hand counts by its generation. */
export function decisionOfFederated(federated: KubeObject): number {
  const number = Number(federated.metadata.annotations?.[DECISION_ANNOTATION] ?? 0);
  return Number.isSafeInteger(number) && number > 0 ? number : (federated.metadata.generation ?? 1);
}

/**
 * `status.observedGeneration` of the source: its generation when every selected cluster has the present content and has observed it,
 * otherwise what it was. Behaviour of KubeAdmiral, per cluster instead of by comparing the whole object.
 */
export function observedGeneration(context: AggregateContext): number {
  const { source } = context;
  return isObserved(context) ? (source.metadata.generation ?? 0) : readCount(source.status?.observedGeneration);
}

/** True when every selected cluster has the present content and its controllers have seen it. */
export function isObserved({ isUpToDate: upToDate, silent, members }: AggregateContext): boolean {
  if (!upToDate || silent.length > 0) return false;
  return members.every(({ isSelected, status, generation }) => !isSelected || status.observedGeneration === generation);
}

/** A count, 0 when it is absent. */
export function readCount(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Sum of one count over all reports. */
export function sum(members: readonly Member[], field: string): number {
  return members.reduce((total, { status }) => total + readCount(status[field]), 0);
}

/** Sums that are left out when 0, as the API's own types do. */
export function sumsOf(members: readonly Member[], fields: readonly string[]): JsonObject {
  const sums = fields.map((field): [string, number] => [field, sum(members, field)]);
  return Object.fromEntries(sums.filter(([, total]) => total !== 0));
}

/** Sums that are always shown. */
export function countsOf(members: readonly Member[], fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((field) => [field, sum(members, field)]));
}

/** The earliest or latest of RFC 3339 times in UTC, seconds (they sort as text). */
export function extremeTime(members: readonly Member[], field: string, which: 'earliest' | 'latest'): JsonObject {
  const times = members
    .map(({ status }) => status[field])
    .filter((time) => typeof time === 'string')
    .sort();
  const time = which === 'earliest' ? times[0] : times.at(-1);
  return time === undefined ? {} : { [field]: time };
}

/** The objects of a list in a status; whatever else lies there is passed over. */
export function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function memberOf(cluster: string, record: DispatchRecord | undefined, isSelected: boolean): Member[] {
  const observed = record?.observed;
  if (!record || !observed?.status) return [];
  const generation = Math.max(record.member?.generation ?? 0, observed.generation ?? 0);
  return [{ cluster, status: observed.status, isSelected, generation }];
}

function isUpToDate(source: KubeObject, federated: KubeObject, records: readonly (DispatchRecord | undefined)[]): boolean {
  if ((federated.spec?.template?.metadata?.generation ?? 0) !== (source.metadata.generation ?? 0)) return false;
  // Nowhere to run is what was asked for when no replica is.
  if (records.length === 0) return source.spec?.replicas === 0;
  const decision = decisionOfFederated(federated);
  return records.every((record) => record?.state === 'OK' && record.decision >= decision);
}
