/** Status of a Pod over its members. Rules and messages of KubeAdmiral; conditions are ours. */
import type { JsonObject } from '../../machinery/object.ts';
import { mergedConditions } from './conditions.ts';
import { type AggregateContext, extremeTime, type Member, objectsIn } from './context.ts';

const PHASES = ['Failed', 'Pending', 'Running', 'Succeeded'];

/** The first phase of Failed, Pending, Running, Succeeded that any cluster is in; containers of all clusters, named `name (cluster)`. */
export function aggregatePod(context: AggregateContext): JsonObject {
  const { members } = context;
  const classes = PHASES.map((phase) => ({
    phase,
    clusters: members.filter((member) => phaseOf(member) === phase).map(({ cluster }) => cluster),
  }));
  const present = classes.filter(({ clusters }) => clusters.length > 0);
  const [first] = present;
  if (!first) return {};
  return {
    phase: first.phase,
    message: `Pod ${present.map(({ phase, clusters }) => `${phase.toLowerCase()} in clusters [${clusters.join(',')}]`).join(', and ')}`,
    ...extremeTime(members, 'startTime', 'earliest'),
    ...containers(members, 'initContainerStatuses'),
    ...containers(members, 'containerStatuses'),
    ...mergedConditions(context),
  };
}

/** A Pod without a phase was not looked at yet. */
function phaseOf({ status }: Member): string {
  return typeof status.phase === 'string' && status.phase !== '' ? status.phase : 'Pending';
}

function containers(members: readonly Member[], field: string): JsonObject {
  const all = members.flatMap(({ cluster, status }) =>
    objectsIn(status[field]).map((container) => ({ ...container, name: `${String(container.name)} (${cluster})` })),
  );
  return all.length === 0 ? {} : { [field]: all.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}
