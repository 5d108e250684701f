/** Tells on the terminal what happened to users' objects: one line per placement when it is ready, one per change of a cluster. */
import type { ObjectRef } from '../../shared/apis/stored.ts';
import type { Condition } from '../../shared/machinery/object.ts';
import { parseScope } from '../../shared/machinery/resource.ts';
import { formatTook, type Screen, timeOfDay } from './screen.ts';

/** Kinds whose placement is worth a line; what only follows them is not told. */
const TOLD = new Set(['deployments', 'statefulsets', 'daemonsets', 'jobs', 'cronjobs', 'pods', 'services', 'ingresses']);
/** Kinds that become ready, as their status says. */
const READY_KINDS = new Set(['deployments', 'statefulsets']);
/** A placement that is not ready by then is told as it stands. */
const PATIENCE_MS = 10_000;
const PLACEMENT_WIDTH = 34;

type Story = {
  subject: string;
  summary: string;
  decideMs: number;
  startedAt: number;
  placedMs: number | undefined;
  timer: NodeJS.Timeout;
};

/** Hears what the functions tell of their work. */
export type Narrator = {
  placed(placed: { source: ObjectRef; summary: string; decideMs: number }): void;
  status(folded: { source: ObjectRef; placedAt?: number; status: unknown }): void;
  cluster(change: { cluster: string; type: string; message: string }): void;
  close(): void;
};

/** `now` in epoch ms. Lines go to the screen; nothing is kept of what was told. */
export function createNarrator(screen: Screen, now: () => number): Narrator {
  const stories = new Map<string, Story>();
  const tell = (key: string, ending: string) => {
    const story = stories.get(key);
    if (!story) return;
    clearTimeout(story.timer);
    stories.delete(key);
    screen.happened(story.subject, `${story.summary.padEnd(PLACEMENT_WIDTH)}  decided ${formatTook(story.decideMs)}${ending}`);
  };
  return {
    placed: ({ source, summary, decideMs }) => {
      const { resource } = parseScope(source.scope);
      if (!TOLD.has(resource)) return;
      const key = keyOf(source);
      const before = stories.get(key);
      if (before) clearTimeout(before.timer);
      const timer = setTimeout(() => tell(key, unfinished(stories.get(key))), PATIENCE_MS);
      timer.unref();
      const subject = `${resource} ${source.namespace === '' ? source.name : `${source.namespace}/${source.name}`}`;
      stories.set(key, { subject, summary, decideMs, startedAt: now(), placedMs: undefined, timer });
    },
    status: ({ source, placedAt, status }) => {
      const key = keyOf(source);
      const story = stories.get(key);
      if (!story) return;
      // Said once, in the fold that finds the object on all its clusters; readiness may come in a later one.
      if (placedAt !== undefined) story.placedMs ??= Math.max(0, placedAt - story.startedAt);
      if (story.placedMs === undefined) return;
      const placed = `, placed ${formatTook(story.placedMs)}`;
      if (!READY_KINDS.has(parseScope(source.scope).resource)) tell(key, placed);
      else if (isReady(status)) tell(key, `${placed}, ready ${formatTook(now() - story.startedAt)}`);
    },
    cluster: ({ cluster, type, message }) => {
      if (type === 'offline')
        screen.happened(`cluster ${cluster}`, `Offline: ${firstPart(message)}; what it runs stays counted as last seen`);
      if (type === 'ready') screen.happened(`cluster ${cluster}`, 'Running: answers');
      if (type === 'gone') screen.happened(`cluster ${cluster}`, 'left');
    },
    close: () => {
      for (const { timer } of stories.values()) clearTimeout(timer);
      stories.clear();
    },
  };
}

/** A message says what, where and what to do; a line that one glances at needs the first alone. */
function firstPart(message: string): string {
  const first = message.split(': ')[0] ?? message;
  return first.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, (time) => timeOfDay(Date.parse(time)));
}

function keyOf({ scope, namespace, name }: ObjectRef): string {
  return `${scope}/${namespace}/${name}`;
}

function unfinished(story: Story | undefined): string {
  return story?.placedMs === undefined
    ? ', not yet on all its clusters'
    : `, placed ${formatTook(story.placedMs)}, not yet ready`;
}

type WorkloadStatus = { replicas?: number; readyReplicas?: number; updatedReplicas?: number; conditions?: Condition[] };

/** All replicas are made, new and ready; a Deployment also says that it is Available everywhere. */
function isReady(status: unknown): boolean {
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0, conditions } = (status ?? {}) as WorkloadStatus;
  const available = conditions?.find(({ type }) => type === 'Available');
  return (
    readyReplicas === replicas &&
    updatedReplicas === replicas &&
    available?.status !== 'False' &&
    (available !== undefined || replicas > 0)
  );
}
