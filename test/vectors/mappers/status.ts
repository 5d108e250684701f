/** Mapper of status aggregation: member statuses -> the source's status, by kind. */
import { isChanged } from '../../../shared/federation/status/aggregate.ts';
import type { AggregateContext, Aggregator } from '../../../shared/federation/status/context.ts';
import { aggregateDeployment } from '../../../shared/federation/status/deployment.ts';
import { aggregateJob } from '../../../shared/federation/status/jobs.ts';
import { aggregatePod } from '../../../shared/federation/status/pods.ts';
import { compatibleStatefulSet } from '../../../shared/federation/status/workloads.ts';
import type { JsonObject } from '../../../shared/machinery/object.ts';
import { type Mapper, type Mappers, type Outcome, unknown, value } from '../outcome.ts';

type Statuses = Record<string, JsonObject>;

function contextOf(sourceStatus: JsonObject | null | undefined, statuses: Statuses): AggregateContext {
  return {
    source: { apiVersion: '', kind: '', metadata: {}, status: sourceStatus ?? {} },
    members: Object.entries(statuses).map(([cluster, status]) => ({ cluster, status, isSelected: true, generation: undefined })),
    silent: [],
    isUpToDate: true,
    now: 0,
  };
}

const byStatus =
  (aggregate: Aggregator): Mapper =>
  ({ input }) => {
    const status = aggregate(contextOf(input.sourceStatus, input.clusterStatuses ?? {}));
    return value({ needUpdate: isChanged(input.sourceStatus ?? {}, status), status });
  };

const deployment: Mapper = ({ input }) => {
  const context = contextOf({ observedGeneration: input.sourceObservedGeneration }, input.clusterStatuses ?? {});
  const generations = input.fedStatusLastObservedGeneration ?? {};
  const members = context.members.map((member) => ({ ...member, generation: generations[member.cluster] }));
  const source = { ...context.source, metadata: { generation: input.sourceGeneration } };
  return value({
    status: aggregateDeployment({ ...context, source, members, isUpToDate: input.clusterObjectsUpToDate ?? false }),
  });
};

const KINDS: Mappers = {
  'apps/v1 Deployment': deployment,
  'apps/v1 StatefulSet': byStatus(compatibleStatefulSet),
  'batch/v1 Job': byStatus(aggregateJob),
  'v1 Pod': byStatus(aggregatePod),
};

const aggregation: Mapper = (record): Outcome => {
  const mapper = KINDS[record.kind ?? ''];
  return mapper ? mapper(record) : unknown(record);
};

export const mappers: Mappers = { status_aggregation: aggregation };
