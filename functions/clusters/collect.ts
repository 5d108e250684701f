/** What a healthy member says about itself: capacity and API list, each at its own pace. */
import { aggregateResources } from '../../shared/federation/clusters/resources.ts';
import type { JsonObject } from '../../shared/machinery/object.ts';
import type { MemberClient } from '../../shared/ports/member-client.ts';
import type { ClustersDeps } from './deps.ts';
import { CAPACITY_SHARE } from './limits.ts';
import type { ProbeTimes } from './memo.ts';

/** `trouble`: a Ready=False for this reason. Absent members were not due and keep their stored values. */
export type Report = {
  resources?: JsonObject;
  apiResourceTypes?: JsonObject[];
  trouble?: { reason: string; message: string };
};

const NODES = { group: '', version: 'v1', resource: 'nodes' };
const PODS = { group: '', version: 'v1', resource: 'pods' };
/** Pods that hold nothing any more are not even sent. */
const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed';

/** Collects what is due; `times` is brought up to date. */
export async function collectReport(deps: ClustersDeps, client: MemberClient, times: ProbeTimes): Promise<Report> {
  const report: Report = {};
  const now = deps.clock.now();
  if (now - times.discoveredAt >= deps.times.discoveryEveryMs) {
    const found = await client.discover();
    if (found.type !== 'ok') return { trouble: { reason: 'ClusterAPIDiscoveryFailed', message: found.message } };
    if (found.value.resources.length === 0)
      return {
        trouble: { reason: 'ClusterAPIDiscoveryFailed', message: found.value.failures.join('; ') || 'it serves nothing' },
      };
    // Sorted by kind, as KubeAdmiral has it, and by group within: the order says nothing and must not change.
    report.apiResourceTypes = found.value.resources
      .map(({ group, version, kind, pluralName, scope }) => ({ group, version, kind, pluralName, scope }))
      .sort(
        (a, b) =>
          compare(a.kind, b.kind) ||
          compare(a.group, b.group) ||
          compare(a.version, b.version) ||
          compare(a.pluralName, b.pluralName),
      );
    times.discoveredAt = now;
  }
  const everyMs = Math.max(deps.times.capacityEveryMs, times.capacityTookMs * CAPACITY_SHARE);
  if (now - times.capacityAt < everyMs) return report;
  const [nodes, pods] = await Promise.all([client.list(NODES, {}), client.list(PODS, { fieldSelector: LIVE_PODS })]);
  if (nodes.type !== 'ok') return { ...report, trouble: { reason: 'ClusterResourceCollectionFailed', message: nodes.message } };
  if (pods.type !== 'ok') return { ...report, trouble: { reason: 'ClusterResourceCollectionFailed', message: pods.message } };
  report.resources = aggregateResources(nodes.value.items, pods.value.items, deps.nodeFilters) as unknown as JsonObject;
  times.capacityAt = now;
  times.capacityTookMs = deps.clock.now() - now;
  return report;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
