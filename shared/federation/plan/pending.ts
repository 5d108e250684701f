/**
 * The pipeline annotation `kubeadmiral.io/pending-controllers`: a JSON list of groups of controllers that are still to act, the first group
 * now. Ours act within one plan; the annotation stays for controllers that are not ours, and keeps everything from being sent until it is empty.
 */
import { parseJson } from '../../machinery/codec/json.ts';
import type { KubeObject } from '../../machinery/object.ts';

export const PENDING_CONTROLLERS = 'kubeadmiral.io/pending-controllers';

/** Groups in order; within one group the controllers may act side by side. */
export type Pipeline = readonly (readonly string[])[];

/** Controllers whose work a plan does itself. */
const OURS: ReadonlySet<string> = new Set([
  'kubeadmiral.io/global-scheduler',
  'kubeadmiral.io/overridepolicy-controller',
  'kubeadmiral.io/nsautoprop-controller',
  'kubeadmiral.io/follower-controller',
  'kubeadmiral.io/federatedhpa-controller',
]);

/** The same without empty groups. */
export function normalisePipeline(pipeline: Pipeline): string[][] {
  return pipeline.filter((group) => group.length > 0).map((group) => [...group]);
}

/** True when a controller may act: nothing is pending, or it stands in the first group. */
export function mayRun(pending: Pipeline, controller: string): boolean {
  const [first] = normalisePipeline(pending);
  return first === undefined || first.includes(controller);
}

/**
 * What is pending after a controller has acted: its name leaves the first group; when it changed something (`modified`), all groups
 * behind its own in `all` act again.
 */
export function afterRun(pending: Pipeline, all: Pipeline, controller: string, modified: boolean): string[][] {
  const [first = [], ...rest] = normalisePipeline(pending);
  const left = first.filter((name) => name !== controller);
  const groups = normalisePipeline(all);
  const own = groups.findIndex((group) => group.includes(controller));
  const behind = modified ? (own < 0 ? [] : groups.slice(own + 1)) : rest;
  return normalisePipeline([left, ...behind]);
}

/** What is pending once ours have acted on a (re-)armed pipeline: everything from the first group with a controller that is not ours. */
export function pendingForeign(pipeline: Pipeline): string[][] {
  const groups = normalisePipeline(pipeline);
  const at = groups.findIndex((group) => group.some((name) => !OURS.has(name)));
  if (at < 0) return [];
  const [first = [], ...rest] = groups.slice(at);
  return [first.filter((name) => !OURS.has(name)), ...rest];
}

/** True when a FederatedTypeConfig names a controller that is not ours. */
export function hasForeign(pipeline: Pipeline): boolean {
  return pipeline.some((group) => group.some((name) => !OURS.has(name)));
}

/** The list on a federated object; empty when the annotation is absent or broken. */
export function pendingControllers(federated: KubeObject | undefined): string[][] {
  const text = federated?.metadata.annotations?.[PENDING_CONTROLLERS];
  if (text === undefined) return [];
  try {
    const value: unknown = parseJson(text);
    if (!Array.isArray(value)) return [];
    return normalisePipeline(
      value.map((group) => (Array.isArray(group) ? group.filter((name) => typeof name === 'string') : [])),
    );
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
