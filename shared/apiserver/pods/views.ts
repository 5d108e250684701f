/** Subresources of pods that are more than a part of the pod: eviction and binding. Who runs no pods answers the rest (`log`, `exec`) in words. */
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject } from '../../machinery/object.ts';
import { failure } from '../../machinery/status.ts';
import type { Clock } from '../../ports/system.ts';
import type { ResourceService, View } from '../server.ts';
import { bindingView } from './binding.ts';
import { evictionView } from './eviction.ts';

export type PodViewDeps = {
  /** The server's own resources; a function, for views are given to the server before it is made. */
  resources: () => ResourceService;
  registry: () => Registry;
  clock: Clock;
};

/** What upstream answers where there is nothing to show. */
export const SUCCESS: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };

/** Views of every server that keeps pods. */
export function podViews(deps: PodViewDeps): ReadonlyMap<string, View> {
  return new Map<string, View>([
    ['/pods/eviction', evictionView(deps)],
    ['/pods/binding', bindingView(deps)],
    ['/bindings', bindingView(deps)],
  ]);
}

const STREAMS = ['attach', 'exec', 'log', 'portforward'] as const;

/** Views for the streams of pods where no process runs: each answers why. `explain` says it for one pod; it may read. */
export function streamlessViews(
  explain: (pod: { namespace: string; name: string }, stream: string) => Promise<string>,
): ReadonlyMap<string, View> {
  return new Map(
    STREAMS.map((stream): [string, View] => [
      `/pods/${stream}`,
      async ({ attributes: { namespace, name } }) => {
        throw failure(400, 'BadRequest', await explain({ namespace, name }, stream));
      },
    ]),
  );
}

/** The kinds that these views read and write. */
export function podKinds({ registry }: Pick<PodViewDeps, 'registry'>): { pods: ResourceDefinition; budgets: ResourceDefinition } {
  const [pods, budgets] = [registry().byScope('/pods'), registry().byScope('policy/poddisruptionbudgets')];
  if (!pods || !budgets) throw new Error('pods and their disruption budgets are served');
  return { pods, budgets };
}
