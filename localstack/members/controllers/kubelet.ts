/**
 * Plays kube-scheduler and kubelet for single pods: what a pod's next state is, and when. Pure; the shell writes it.
 * A pod becomes ready after 300-800 ms that depend on its name. Annotations play other lives:
 * `lamiral.dev/sim-ready-after: 5s`, `lamiral.dev/sim-fail: CrashLoopBackOff | ImagePullBackOff | never`.
 */
import { parseGoDuration } from '../../../shared/machinery/duration.ts';
import { fnv1a_32 } from '../../../shared/machinery/fnv.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { controllerUid } from './cache.ts';
import { createdAt, nameOf } from './pods.ts';

export const READY_AFTER = 'lamiral.dev/sim-ready-after';
export const FAIL = 'lamiral.dev/sim-fail';
const READY_MIN_MS = 300;
const READY_SPREAD_MS = 500;
const JOB_RUNS_MS = 1_000;
const TERMINATION_MS = 200;
const USUAL_GRACE_MS = 30_000;
/** Of what is granted beyond the usual, one part in this many is used. */
const EXTRA_GRACE_SHARE = 15;
const MISSING_IMAGE = /:(missing|does-not-exist|nonexistent)$/;

/** The next thing that happens to a bound pod. */
export type PodStep =
  | { type: 'status'; status: Record<string, unknown> /** the next step is due at */; wakeAt?: number }
  | { type: 'remove' }
  | { type: 'wait'; at: number }
  | { type: 'rest' };

/**
 * What the kubelet would do with the pod at `now`. `boundAtMs` is when it was bound, where this process saw it: the condition's time
 * holds whole seconds only, and would make pods ready up to a second late. `goingAtMs` likewise: when its deletion was seen.
 */
export function nextPodStep(pod: KubeObject, now: number, boundAtMs?: number, goingAtMs?: number): PodStep {
  if (pod.metadata.deletionTimestamp) return terminate(pod, now, goingAtMs);
  const phase = pod.status?.phase as string | undefined;
  if (phase === 'Succeeded' || phase === 'Failed') return { type: 'rest' };
  const bound = boundAtMs ?? boundAt(pod);
  const failure = failureOf(pod);
  if (failure)
    return pod.status?.containerStatuses ? { type: 'rest' } : { type: 'status', status: waitingStatus(pod, failure, now) };
  const readyAt = bound + readyDelayMs(pod);
  if (phase === 'Running') return runsToEnd(pod) ? finish(pod, readyAt, now) : { type: 'rest' };
  if (now < readyAt) return { type: 'wait', at: readyAt };
  const status = runningStatus(pod, now);
  return runsToEnd(pod) ? { type: 'status', status, wakeAt: readyAt + runsForMs(pod) } : { type: 'status', status };
}

function terminate(pod: KubeObject, now: number, goingAtMs: number | undefined): PodStep {
  const grace = (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  // Its process has ended and the API was told so: now it waits for somebody's finalizer, and telling again would change nothing.
  if (grace === 0 && (pod.metadata.finalizers ?? []).length > 0) return { type: 'rest' };
  const asked = goingAtMs ?? Date.parse(pod.metadata.deletionTimestamp ?? '') - grace;
  // The simulated process obeys SIGTERM quickly; who grants more time than usual has one that needs some. Never later than its grace period ends.
  const needed = TERMINATION_MS + Math.max(0, grace - USUAL_GRACE_MS) / EXTRA_GRACE_SHARE;
  const due = asked + Math.min(grace, needed);
  return now >= due ? { type: 'remove' } : { type: 'wait', at: due };
}

function finish(pod: KubeObject, readyAt: number, now: number): PodStep {
  const due = readyAt + runsForMs(pod);
  if (now < due) return { type: 'wait', at: due };
  return { type: 'status', status: finishedStatus(pod, now) };
}

/** Pods of Jobs, and others that may end, end with success after a second. */
function runsToEnd(pod: KubeObject): boolean {
  return pod.spec.restartPolicy === 'OnFailure' || pod.spec.restartPolicy === 'Never' ? controllerUid(pod) !== undefined : false;
}

/** A second, or as long as a container whose whole command is `sleep N` sleeps: of what processes do, that can be told from outside. */
function runsForMs(pod: KubeObject): number {
  const sleeps = containersOf(pod).map(({ command = [], args = [] }) =>
    /^(?:\S*\/)?sleep (\d{1,9})$/.exec([...command, ...args].join(' ')),
  );
  return Math.max(JOB_RUNS_MS, ...sleeps.map((sleep) => Number(sleep?.[1] ?? 0) * 1000));
}

/** Does its readiness probe run a program that always fails, or ask at a port that the container does not have among those it names? */
function isNeverReady({ readinessProbe, ports = [] }: Container): boolean {
  const { exec, httpGet, tcpSocket } = readinessProbe ?? {};
  const port = httpGet?.port ?? tcpSocket?.port;
  const isDeaf = typeof port === 'number' && ports.length > 0 && !ports.some(({ containerPort }) => containerPort === port);
  return isDeaf || /^(?:\/(?:usr\/)?bin\/)?false$/.test((exec?.command ?? []).join(' '));
}

function failureOf(pod: KubeObject): string | undefined {
  const played = pod.metadata.annotations?.[FAIL];
  if (played) return played === 'never' ? 'ContainerCreating' : played;
  const images = ((pod.spec.containers ?? []) as { image?: string }[]).map(({ image }) => image ?? '');
  return images.some((image) => MISSING_IMAGE.test(image)) ? 'ImagePullBackOff' : undefined;
}

function readyDelayMs(pod: KubeObject): number {
  const asked = pod.metadata.annotations?.[READY_AFTER];
  if (asked) {
    try {
      return parseGoDuration(asked);
    } catch {
      // A duration that cannot be read is the user's typing error in a toy annotation: the pod just behaves as usual.
    }
  }
  return READY_MIN_MS + (fnv1a_32(nameOf(pod)) % READY_SPREAD_MS);
}

function boundAt(pod: KubeObject): number {
  const conditions = (pod.status?.conditions ?? []) as { type: string; lastTransitionTime?: string }[];
  const scheduled = conditions.find((condition) => condition.type === 'PodScheduled');
  return Date.parse(scheduled?.lastTransitionTime ?? '') || createdAt(pod);
}

type Container = {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  ports?: { containerPort?: number }[];
  readinessProbe?: {
    exec?: { command?: string[] };
    httpGet?: { port?: number | string };
    tcpSocket?: { port?: number | string };
  };
};
const containersOf = (pod: KubeObject): Container[] => (pod.spec.containers ?? []) as Container[];

/** Status of a pod that was just bound to a node. */
export function boundStatus(pod: KubeObject, now: number): Record<string, unknown> {
  return {
    ...pod.status,
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: formatTime(now) }],
  };
}

/** Status of a pod that no node takes; the same reason again keeps its time. */
export function unschedulableStatus(pod: KubeObject, message: string, now: number): Record<string, unknown> {
  const old = ((pod.status?.conditions ?? []) as { type: string; status: string; lastTransitionTime?: string }[]).find(
    ({ type }) => type === 'PodScheduled',
  );
  const since = old?.status === 'False' ? (old.lastTransitionTime ?? formatTime(now)) : formatTime(now);
  return {
    ...pod.status,
    phase: 'Pending',
    conditions: [
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastProbeTime: null, lastTransitionTime: since },
    ],
  };
}

function conditions(pod: KubeObject, ready: boolean, now: number, reason?: string): Record<string, unknown>[] {
  const time = formatTime(now);
  const old = ((pod.status?.conditions ?? []) as Record<string, unknown>[]).filter(({ type }) => type === 'PodScheduled');
  const status = ready ? 'True' : 'False';
  const entry = (type: string, value: string) => ({
    type,
    status: value,
    lastProbeTime: null,
    lastTransitionTime: time,
    ...(value === 'False' && reason ? { reason } : {}),
  });
  return [
    entry('PodReadyToStartContainers', 'True'),
    entry('Initialized', 'True'),
    entry('Ready', status),
    entry('ContainersReady', status),
    ...old,
  ];
}

function addresses(pod: KubeObject): Record<string, unknown> {
  const hash = fnv1a_32(pod.metadata.uid ?? nameOf(pod));
  const podIP = `10.244.${(hash >>> 8) % 250}.${1 + (hash % 250)}`;
  return { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.1' }], podIP, podIPs: [{ ip: podIP }] };
}

function containerStatus(container: Container, state: Record<string, unknown>, ready: boolean): Record<string, unknown> {
  const image = container.image ?? '';
  return {
    name: container.name,
    image,
    imageID: ready ? `simulated://${image}` : '',
    containerID: ready ? `simulated://${fnv1a_32(container.name + image)}` : '',
    ready,
    started: ready,
    restartCount: 0,
    state,
    lastState: {},
  };
}

function runningStatus(pod: KubeObject, now: number): Record<string, unknown> {
  const state = { running: { startedAt: formatTime(now) } };
  return {
    ...pod.status,
    ...addresses(pod),
    phase: 'Running',
    startTime: pod.status?.startTime ?? formatTime(boundAt(pod)),
    conditions: conditions(pod, !containersOf(pod).some(isNeverReady), now, 'ContainersNotReady'),
    containerStatuses: containersOf(pod).map((container) => ({
      ...containerStatus(container, state, true),
      ready: !isNeverReady(container),
    })),
  };
}

function waitingStatus(pod: KubeObject, reason: string, now: number): Record<string, unknown> {
  const state = { waiting: { reason, ...(reason === 'ImagePullBackOff' ? { message: 'Back-off pulling image' } : {}) } };
  return {
    ...pod.status,
    ...addresses(pod),
    phase: reason === 'CrashLoopBackOff' ? 'Running' : 'Pending',
    startTime: formatTime(boundAt(pod)),
    conditions: conditions(pod, false, now, 'ContainersNotReady'),
    containerStatuses: containersOf(pod).map((container) => ({
      ...containerStatus(container, state, false),
      restartCount: reason === 'CrashLoopBackOff' ? 5 : 0,
    })),
  };
}

function finishedStatus(pod: KubeObject, now: number): Record<string, unknown> {
  const state = {
    terminated: {
      exitCode: 0,
      reason: 'Completed',
      startedAt: pod.status?.startTime ?? formatTime(now),
      finishedAt: formatTime(now),
    },
  };
  return {
    ...pod.status,
    phase: 'Succeeded',
    conditions: conditions(pod, false, now, 'PodCompleted'),
    containerStatuses: containersOf(pod).map((container) => ({ ...containerStatus(container, state, false), started: false })),
  };
}
