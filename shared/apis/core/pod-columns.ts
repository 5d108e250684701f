/** Columns of Pods: what state the containers are in, in one word (reference: cell rules of kube-apiserver's pod printer). */
import type { KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import { AGE, ageOf, count, hasCondition, list, NAME, orNone, text, timeOf, wide } from '../printing/columns.ts';

type Status = KubeObject[string];

/** Running totals while the containers are looked at. `restartedAt` epoch ms of the latest restart, 0 when there was none. */
type Tally = { reason: string; ready: number; restarts: number; restartedAt: number };

export const POD_COLUMNS: readonly Column[] = [
  NAME,
  text('Ready', (pod) => `${summarize(pod).ready}/${containersOf(pod)}`),
  text('Status', statusOf),
  text('Restarts', restartsOf),
  AGE,
  wide(text('IP', (pod) => orNone(pod.status?.podIPs?.[0]?.ip))),
  wide(text('Node', (pod) => orNone(pod.spec?.nodeName))),
  wide(text('Nominated Node', (pod) => orNone(pod.status?.nominatedNodeName))),
  wide(text('Readiness Gates', readinessGates)),
];

/** Sidecars count as containers: init containers that are restarted for as long as the pod runs. */
function containersOf(pod: KubeObject): number {
  const { containers, initContainers } = pod.spec ?? {};
  return list(containers).length + list(initContainers).filter(isSidecar).length;
}

function isSidecar(container: Status): boolean {
  return container?.restartPolicy === 'Always';
}

function statusOf(pod: KubeObject): string {
  const { phase, reason } = pod.status ?? {};
  if (pod.metadata.deletionTimestamp && reason === 'NodeLost') return 'Unknown';
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  if (pod.metadata.deletionTimestamp && !isOver) return 'Terminating';
  return summarize(pod).reason;
}

function restartsOf(pod: KubeObject, now: number): string {
  const { restarts, restartedAt } = summarize(pod);
  if (restarts === 0 || restartedAt === 0) return String(restarts);
  return `${restarts} (${ageOf(new Date(restartedAt).toISOString(), now)} ago)`;
}

function readinessGates(pod: KubeObject): string {
  const gates = list(pod.spec?.readinessGates);
  if (gates.length === 0) return '<none>';
  const passed = gates.filter((gate) => hasCondition(pod.status?.conditions, gate?.conditionType));
  return `${passed.length}/${gates.length}`;
}

function summarize(pod: KubeObject): Tally {
  const init = summarizeInit(pod);
  const isInitialized = !init.waits || hasCondition(pod.status?.conditions, 'Initialized');
  return isInitialized ? summarizeMain(pod, init) : init.all;
}

function initialReason(pod: KubeObject): string {
  const { phase = '', reason, conditions } = pod.status ?? {};
  const isGated = list(conditions).some((each) => each?.type === 'PodScheduled' && each?.reason === 'SchedulingGated');
  if (isGated) return 'SchedulingGated';
  return reason || phase;
}

/** `all`: totals over init containers; `sidecars`: those of sidecars alone, which go on counting afterwards; `waits`: not through yet. */
type InitSummary = { all: Tally; sidecars: Tally; waits: boolean };

function summarizeInit(pod: KubeObject): InitSummary {
  const all: Tally = { reason: initialReason(pod), ready: 0, restarts: 0, restartedAt: 0 };
  const sidecars: Tally = { ...all };
  const specs = list(pod.spec?.initContainers);
  for (const [index, status] of list(pod.status?.initContainerStatuses).entries()) {
    addRestarts(all, status);
    const sidecar = isSidecar(specs.find((spec) => spec?.name === status?.name));
    if (sidecar) addRestarts(sidecars, status);
    if (status?.state?.terminated && count(status.state.terminated.exitCode) === 0) continue;
    if (sidecar && status?.started === true) {
      if (status.ready === true) all.ready += 1;
      continue;
    }
    all.reason = initReason(status, index, specs.length);
    return { all, sidecars, waits: true };
  }
  return { all, sidecars, waits: false };
}

function initReason(status: Status, index: number, total: number): string {
  const { terminated, waiting } = status?.state ?? {};
  if (terminated) return `Init:${endReason(terminated)}`;
  if (waiting?.reason && waiting.reason !== 'PodInitializing') return `Init:${waiting.reason}`;
  return `Init:${index}/${total}`;
}

function summarizeMain(pod: KubeObject, init: InitSummary): Tally {
  const { restarts, restartedAt } = init.sidecars;
  const tally: Tally = { reason: init.all.reason, ready: init.all.ready, restarts, restartedAt };
  let isRunning = false;
  let errorReason = '';
  for (const status of list(pod.status?.containerStatuses).toReversed()) {
    addRestarts(tally, status);
    const { waiting, terminated, running } = status?.state ?? {};
    if (waiting?.reason) tally.reason = waiting.reason;
    else if (terminated) {
      tally.reason = endReason(terminated);
      if (count(terminated.exitCode) !== 0) errorReason = tally.reason;
    } else if (status?.ready === true && running) {
      isRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.reason === 'Completed') tally.reason = completedReason(pod, isRunning, errorReason);
  return tally;
}

/** One container ended well: the others decide what the pod is called. */
function completedReason(pod: KubeObject, isRunning: boolean, errorReason: string): string {
  if (isRunning && hasCondition(pod.status?.conditions, 'Ready')) return 'Running';
  if (errorReason !== '') return errorReason;
  return isRunning ? 'NotReady' : 'Completed';
}

function endReason(terminated: Status): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${count(terminated.exitCode)}`;
}

function addRestarts(tally: Tally, status: Status): void {
  tally.restarts += count(status?.restartCount);
  tally.restartedAt = Math.max(tally.restartedAt, timeOf(status?.lastState?.terminated?.finishedAt) ?? 0);
}
