/**
 * Held watches of managed objects, one per cluster and kind that has any: how `dev` learns of status and drift at once. A watch that ends cleanly goes on
 * where it was; one that breaks is opened again from a new list, so nothing is missed, and what vanished meanwhile is found by comparing the list with
 * what stood there before.
 */
import type { ClusterView } from '../../shared/federation/clusters/view.ts';
import { MANAGED_LABEL } from '../../shared/federation/keys.ts';
import { type FederatedType, type FederatedTypes, SCOPES } from '../../shared/federation/type-config.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import { formatApiVersion } from '../../shared/machinery/resource.ts';
import { type MemberClient, MemberWatchError } from '../../shared/ports/member-client.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { MemberAccess } from '../../shared/runtime/members.ts';
import { listStored } from '../../shared/runtime/objects.ts';
import type { ScopeCache } from '../../shared/runtime/scope-cache.ts';
import { REWATCH_FIRST_MS, REWATCH_MAX_MS } from './limits.ts';
import { createReporter, type Reporter, type ReporterDeps } from './report.ts';
import { findVanished } from './vanished.ts';

export type MemberWatchesDeps = ReporterDeps & {
  objects: Pick<ObjectStore, 'list'>;
  members: MemberAccess;
  types: ScopeCache<FederatedTypes>;
};

export type MemberWatches = {
  /** Watches a kind in a cluster, unless that is done already. */
  ensure(cluster: string, type: FederatedType): void;
  /** Watches everything that is placed anywhere: once, at the start of a process. */
  resume(): Promise<void>;
  /** Opens the broken watches of a cluster at once: it answers again. */
  wake(cluster: string): void;
  /** Ends the watches of a cluster that is gone. */
  stop(cluster: string): void;
  close(): Promise<void>;
};

type Watch = { abort: AbortController; wake: AbortController; running: Promise<void> };

/** Watches of one process. */
export function createMemberWatches(deps: MemberWatchesDeps): MemberWatches {
  const reporter = createReporter(deps);
  const watches = new Map<string, Watch>();
  const keyOf = (cluster: string, type: string): string => `${cluster}\n${type}`;
  const ofCluster = (cluster: string): [string, Watch][] => [...watches].filter(([key]) => key.startsWith(`${cluster}\n`));
  const ensure = (cluster: string, type: FederatedType): void => {
    const key = keyOf(cluster, type.name);
    if (watches.has(key)) return;
    const watch: Watch = { abort: new AbortController(), wake: new AbortController(), running: Promise.resolve() };
    watches.set(key, watch);
    watch.running = keepWatching(deps, reporter, watch, cluster, type);
  };
  const stop = (cluster: string): void => {
    for (const [key, watch] of ofCluster(cluster)) {
      watches.delete(key);
      watch.abort.abort();
      watch.wake.abort();
    }
  };
  return {
    ensure,
    stop,
    async resume() {
      const clusters = await deps.clusters.all();
      for (const type of await placedTypes(deps))
        for (const { name, joined, terminating } of clusters.values()) if (joined && !terminating) ensure(name, type);
    },
    wake(cluster) {
      for (const [, watch] of ofCluster(cluster)) watch.wake.abort();
    },
    async close() {
      const running = [...watches.values()].map((watch) => watch.running);
      for (const key of watches.keys()) stop(key.slice(0, key.indexOf('\n')));
      await Promise.all(running);
      await reporter.close();
    },
  };
}

/** Kinds of which a FederatedObject exists, read from the label that each carries. */
async function placedTypes(deps: MemberWatchesDeps): Promise<FederatedType[]> {
  const { all } = await deps.types.all();
  const found = new Set<FederatedType>();
  for (const scope of [SCOPES.federated, SCOPES.clusterFederated])
    for await (const { labels } of listStored(deps.objects, scope))
      for (const type of all)
        if (labels[formatApiVersion(type.type.group, type.type.version)] === type.type.kind) found.add(type);
  return [...found];
}

async function keepWatching(
  deps: MemberWatchesDeps,
  reporter: Reporter,
  watch: Watch,
  cluster: string,
  type: FederatedType,
): Promise<void> {
  const { signal } = watch.abort;
  let pauseMs = REWATCH_FIRST_MS;
  /** Where to go on without a list. */
  let position: string | undefined;
  while (!signal.aborted) {
    watch.wake = new AbortController();
    try {
      const view = (await deps.clusters.all()).get(cluster);
      if (view?.joined) {
        const from = position;
        position = undefined;
        position = await watchOnce(deps, reporter, view, type, { from, signal });
        // Ended cleanly. Even so with a pause: a server that ends every watch at once must not be asked in a loop.
        pauseMs = REWATCH_FIRST_MS;
      }
    } catch (error) {
      if (!(error instanceof MemberWatchError))
        deps.log.error(`watch of ${type.name} in ${cluster} failed`, { error: String(error) });
      else deps.log.debug(`watch of ${type.name} in ${cluster} ended: ${error.message}`);
    }
    await deps.clock.sleep(pauseMs, AbortSignal.any([signal, watch.wake.signal]));
    // A cluster that answers again may be another one.
    if (watch.wake.signal.aborted) position = undefined;
    pauseMs = watch.wake.signal.aborted ? REWATCH_FIRST_MS : Math.min(pauseMs * 2, REWATCH_MAX_MS);
  }
}

const SELECTOR = `${MANAGED_LABEL}=true`;

/**
 * One watch, after a list unless it goes on `from` a version. Answers the version that it came to when the member ends it cleanly; throws
 * MemberWatchError when anything fails.
 */
async function watchOnce(
  deps: MemberWatchesDeps,
  reporter: Reporter,
  view: ClusterView,
  type: FederatedType,
  { from, signal }: { from: string | undefined; signal: AbortSignal },
): Promise<string> {
  const client = await connect(deps, view);
  const { group, version, pluralName, kind } = type.type;
  const resource = { group, version, resource: pluralName };
  const report = (copy: KubeObject, gone: boolean): void => {
    const whole = { ...copy, apiVersion: formatApiVersion(group, version), kind };
    reporter.report({ cluster: view.name, type, copy: whole, gone });
  };
  let position = from ?? (await reportAll(deps, client, view, type, report));
  for await (const event of client.watch(resource, { labelSelector: SELECTOR, resourceVersion: position, signal })) {
    if (event.type !== 'bookmark') report(event.object, event.type === 'deleted');
    position = (event.type === 'bookmark' ? event.resourceVersion : event.object.metadata.resourceVersion) || position;
  }
  return position;
}

/** Lists what is there, and what is not there any more; answers the version of the list. */
async function reportAll(
  deps: MemberWatchesDeps,
  client: MemberClient,
  view: ClusterView,
  { type, ...rest }: FederatedType,
  report: (copy: KubeObject, gone: boolean) => void,
): Promise<string> {
  const { group, version, pluralName } = type;
  const listed = await client.list({ group, version, resource: pluralName }, { labelSelector: SELECTOR });
  if (listed.type !== 'ok') throw new MemberWatchError(listed);
  for (const copy of listed.value.items) report(copy, false);
  for (const copy of await findVanished(deps, view.name, { type, ...rest }, listed.value.items)) report(copy, true);
  return listed.value.resourceVersion;
}

async function connect(deps: MemberWatchesDeps, view: ClusterView): Promise<MemberClient> {
  const access = await deps.members.connect(view.object);
  if (access.type === 'ok') return access.client;
  throw new MemberWatchError({ type: 'unreachable', reason: 'other', message: access.message });
}
