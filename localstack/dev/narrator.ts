/** Tells on the terminal what happened to users' objects: one line per placement when it is ready, one per change of a cluster. */
import { fromStored } from '../../shared/apis/stored.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { Store } from '../../shared/ports/object-store.ts';
import type { Clock } from '../../shared/ports/system.ts';
import { formatTook, type Screen } from './screen.ts';

const DECISIONS = 'lamiral.dev/schedulingdecisions';
const FEDERATED = 'core.kubeadmiral.io/federatedobjects';
const CLUSTERS = 'core.kubeadmiral.io/federatedclusters';
/** Kinds whose placement is worth a line; what follows them is not told. */
const TOLD = new Map([
  ['Deployment', 'deployments'],
  ['StatefulSet', 'statefulsets'],
  ['DaemonSet', 'daemonsets'],
  ['Job', 'jobs'],
  ['CronJob', 'cronjobs'],
  ['Pod', 'pods'],
  ['Service', 'services'],
]);
/** A placement that is not ready by then is told as it stands. */
const PATIENCE_MS = 10_000;
const READ_MAX = 500;

type Story = {
  subject: string;
  placement: string;
  startedAt: number;
  decidedMs: number | undefined;
  placedMs: number | undefined;
  decision: number;
  told: boolean;
};

export type Narrator = { poll(): Promise<void>; close(): void };

/** Follows the log from now on. `poll` is called after commits; what it misses it finds with the next. */
export async function createNarrator(store: Store, clock: Clock, screen: Screen): Promise<Narrator> {
  const positions = new Map<string, string>();
  for (const scope of [DECISIONS, FEDERATED, CLUSTERS]) positions.set(scope, (await store.lanes.head(scope)).current);
  const stories = new Map<string, Story>();
  const clusters = new Map<string, string>();
  await readClusters(store, clusters);
  const readers: Record<string, (object: KubeObject) => void> = {
    [DECISIONS]: (object) => hearDecision(stories, object, clock.now()),
    [FEDERATED]: (object) => hearFederated(stories, object, clock.now(), screen),
    [CLUSTERS]: (object) => hearCluster(clusters, object, screen),
  };
  const patience = setInterval(() => tellUnfinished(stories, clock.now(), screen), 1_000);
  patience.unref();
  let turn: Promise<void> = Promise.resolve();
  const readAll = async () => {
    for (const [scope, reader] of Object.entries(readers)) {
      const read = await store.objects.changes({ scope, after: positions.get(scope) ?? '0', limit: READ_MAX });
      if (read.type === 'expired') {
        positions.set(scope, (await store.lanes.head(scope)).current);
        continue;
      }
      positions.set(scope, read.position);
      for (const change of read.changes) if (change.type !== 'deleted') reader(fromStored(change.object));
    }
  };
  return {
    poll: () => {
      turn = turn.then(readAll);
      return turn;
    },
    close: () => clearInterval(patience),
  };
}

async function readClusters(store: Store, clusters: Map<string, string>): Promise<void> {
  const listed = await store.objects.list({ scope: CLUSTERS });
  if (listed.type !== 'page') return;
  for (const stored of listed.items) clusters.set(stored.name, phaseOf(fromStored(stored)));
}

function storyKey(object: KubeObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`;
}

function hearDecision(stories: Map<string, Story>, object: KubeObject, now: number): void {
  const spec = (object.spec ?? object) as {
    source?: { kind: string; namespace?: string; name: string };
    decision?: number;
    summary?: string;
    triggeredAt?: number;
  };
  const plural = spec.source && TOLD.get(spec.source.kind);
  const key = storyKey(object);
  if (!plural || !spec.source || stories.get(key)?.decision === spec.decision) return;
  const place = spec.source.namespace ? `${spec.source.namespace}/${spec.source.name}` : spec.source.name;
  stories.set(key, {
    subject: `${plural} ${place}`,
    placement: spec.summary ?? '',
    startedAt: now,
    decidedMs: undefined,
    placedMs: undefined,
    decision: spec.decision ?? 0,
    told: false,
  });
}

function hearFederated(stories: Map<string, Story>, object: KubeObject, now: number, screen: Screen): void {
  const story = stories.get(storyKey(object));
  if (!story || story.told) return;
  const conditions = (object.status?.conditions ?? []) as { type: string; status: string }[];
  const propagated =
    conditions.some(({ type, status }) => type === 'Propagated' && status === 'True') &&
    object.status?.syncedGeneration === object.metadata.generation;
  if (!propagated) return;
  story.placedMs ??= now - story.startedAt;
  const replicas = object.metadata.annotations?.['lamiral.dev/ready'];
  if (replicas === 'false') return;
  story.told = true;
  screen.happened(story.subject, `${story.placement.padEnd(36)}  placed ${formatTook(story.placedMs)}`);
}

function tellUnfinished(stories: Map<string, Story>, now: number, screen: Screen): void {
  for (const [key, story] of stories) {
    if (!story.told && now - story.startedAt > PATIENCE_MS) {
      story.told = true;
      const state =
        story.placedMs === undefined ? 'not yet on all its clusters' : `placed ${formatTook(story.placedMs)}, not yet ready`;
      screen.happened(story.subject, `${story.placement.padEnd(36)}  ${state}`);
    }
    if (story.told) stories.delete(key);
  }
}

function phaseOf(cluster: KubeObject): string {
  const conditions = (cluster.status?.conditions ?? []) as { type: string; status: string; message?: string }[];
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready === undefined) return 'Pending';
  return ready.status === 'True' ? 'Running' : 'Offline';
}

function hearCluster(clusters: Map<string, string>, object: KubeObject, screen: Screen): void {
  const name = object.metadata.name ?? '';
  const phase = phaseOf(object);
  const before = clusters.get(name);
  clusters.set(name, phase);
  if (before === undefined || before === 'Pending' || before === phase) return;
  const conditions = (object.status?.conditions ?? []) as { type: string; message?: string }[];
  const message = conditions.find(({ type }) => type === 'Ready')?.message ?? '';
  screen.happened(
    'cluster',
    `${name}  ${phase}${phase === 'Offline' ? `: ${message}; what it ran stays counted as last seen` : ': answers again'}`,
  );
}
