/** Runs all controllers of one simulated cluster over its store: level-triggered, woken by commits, resumed from what is stored. */
import type { Registry } from '../../../shared/apis/definition.ts';
import type { ResourceService } from '../../../shared/apiserver/server.ts';
import { deepEqual } from '../../../shared/machinery/equality.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { Store } from '../../../shared/ports/object-store.ts';
import type { Clock, Ids, Log } from '../../../shared/ports/system.ts';
import { type CacheEvent, controllerUid, createCache } from './cache.ts';
import { type ControllerContext, kindsOf } from './context.ts';
import { reconcileCronJob } from './cron-job.ts';
import { reconcileDaemonSet } from './daemon-set.ts';
import { reconcileDeployment } from './deployment.ts';
import { reconcileJob } from './job.ts';
import { freesRoom, reconcilePod, schedulePods } from './pod-lifecycle.ts';
import { createKeyQueue, type KeyQueue } from './queue.ts';
import { adopters, reconcileReplicaSet, reconcileReplicationController } from './replica-set.ts';
import { reconcileStatefulSet } from './stateful-set.ts';

const RESOURCES = [
  'nodes',
  'pods',
  'replicasets',
  'replicationcontrollers',
  'deployments',
  'statefulsets',
  'daemonsets',
  'jobs',
  'cronjobs',
];
const CONCURRENCY = 16;
const SCHEDULER = 'scheduler';
/** Work on a namespace whose uncontrolled pods changed: somebody may adopt them. */
const ADOPTION = 'adoption';

type Reconcile = (context: ControllerContext, namespace: string, name: string) => Promise<void>;
const RECONCILERS: Record<string, Reconcile> = {
  deployments: reconcileDeployment,
  replicasets: reconcileReplicaSet,
  replicationcontrollers: reconcileReplicationController,
  statefulsets: reconcileStatefulSet,
  daemonsets: reconcileDaemonSet,
  jobs: reconcileJob,
  cronjobs: reconcileCronJob,
  pods: reconcilePod,
};
const RESOURCE_BY_KIND: Record<string, string> = {
  Deployment: 'deployments',
  ReplicaSet: 'replicasets',
  ReplicationController: 'replicationcontrollers',
  StatefulSet: 'statefulsets',
  DaemonSet: 'daemonsets',
  Job: 'jobs',
  CronJob: 'cronjobs',
};

export type ControllerDeps = {
  cluster: string;
  store: Store;
  registry: Registry;
  api: ResourceService;
  clock: Clock;
  ids: Ids;
  log: Log;
};
export type Controllers = {
  /** Resolves when nothing is to be done right now (timers aside). */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/** Starts from a list of everything; resolves when the first list has been read. */
export async function startControllers(deps: ControllerDeps): Promise<Controllers> {
  const waitingForNode = new Set<string>();
  const queue: KeyQueue = createKeyQueue({
    concurrency: CONCURRENCY,
    now: () => deps.clock.now(),
    work: (key) => work(context, queue, waitingForNode, key),
    onError: (key, error) =>
      deps.log.warn('a simulated controller failed and will try again', { cluster: deps.cluster, key, error: String(error) }),
  });
  const context: ControllerContext = {
    cluster: deps.cluster,
    api: deps.api,
    kinds: kindsOf(deps.registry),
    clock: deps.clock,
    ids: deps.ids,
    log: deps.log,
    boundAt: new Map(),
    goingAt: new Map(),
    wakeAt: (key, at) => queue.addAt(key, at),
    // Events before the first list is complete only fill the queue, which does not run until this function has returned to the event loop.
    cache: await createCache(deps.store, deps.registry, RESOURCES, (event) => route(queue, waitingForNode, () => context, event)),
  };
  const stopListening = deps.store.lanes.onCommit(() => void refresh());
  let refreshing: Promise<void> | undefined;
  let again = false;
  const refresh = async (): Promise<void> => {
    if (refreshing) {
      again = true;
      return;
    }
    do {
      again = false;
      refreshing = context.cache
        .refresh()
        .catch((error: unknown) =>
          deps.log.error('the log of a simulated cluster could not be read', { cluster: deps.cluster, error: String(error) }),
        );
      await refreshing;
      refreshing = undefined;
    } while (again);
  };
  await refresh();
  return {
    settled: () => queue.idle(),
    close: async () => {
      stopListening();
      await queue.close();
      await refreshing;
    },
  };
}

async function work(context: ControllerContext, queue: KeyQueue, waitingForNode: Set<string>, key: string): Promise<void> {
  if (key === SCHEDULER) return schedulePods(context, waitingForNode);
  const [resource = '', namespace = '', name = ''] = key.split('/');
  if (resource === ADOPTION) {
    for (const owner of adopters(context, namespace)) queue.add(owner);
    return;
  }
  return RECONCILERS[resource]?.(context, namespace, name);
}

/** Which keys a change concerns: the object itself, its controller, and for pods the scheduler and the Services. */
function route(queue: KeyQueue, waitingForNode: Set<string>, contextOf: () => ControllerContext, event: CacheEvent): void {
  const { resource, object, deleted } = event;
  const { namespace = '', name = '' } = object.metadata;
  if (!deleted && RECONCILERS[resource]) queue.add(`${resource}/${namespace}/${name}`);
  wakeController(queue, object);
  // One that lost its pod must hear of it too.
  if (event.old) wakeController(queue, event.old);
  if (resource === 'pods') routePod(queue, waitingForNode, event);
  if (resource === 'nodes') nodesChanged(queue, contextOf, waitingForNode, event.old === undefined || deleted);
}

function wakeController(queue: KeyQueue, object: KubeObject): void {
  const owner = object.metadata.ownerReferences?.find((reference) => reference.controller);
  const resource = owner && RESOURCE_BY_KIND[owner.kind];
  if (resource) queue.add(`${resource}/${object.metadata.namespace ?? ''}/${owner.name}`);
}

function routePod(queue: KeyQueue, waitingForNode: Set<string>, event: CacheEvent): void {
  const { object, old, deleted } = event;
  const key = `${object.metadata.namespace}/${object.metadata.name}`;
  const waits = !deleted && !object.spec.nodeName && !object.metadata.deletionTimestamp;
  if (waits) waitingForNode.add(key);
  else waitingForNode.delete(key);
  const isStranger = !deleted && controllerUid(object) === undefined;
  if (isStranger && (!old || controllerUid(old) || !deepEqual(old.metadata.labels ?? {}, object.metadata.labels ?? {})))
    queue.add(`${ADOPTION}/${object.metadata.namespace}/`);
  const isNew = waits && old === undefined;
  if (isNew || (freesRoom(old, object, deleted) && waitingForNode.size > 0)) queue.add(SCHEDULER);
}

function nodesChanged(
  queue: KeyQueue,
  contextOf: () => ControllerContext,
  waitingForNode: ReadonlySet<string>,
  added: boolean,
): void {
  if (waitingForNode.size > 0) queue.add(SCHEDULER);
  if (added) return;
  for (const set of contextOf().cache.all('daemonsets')) queue.add(`daemonsets/${set.metadata.namespace}/${set.metadata.name}`);
}
