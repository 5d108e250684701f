/** Upstream's RuntimeClass plugin: a pod's class must exist; its overhead and its place among the nodes become the pod's. */
import { type Struct, struct } from '../../apis/defaults/fill.ts';
import { deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { canonicalQuantity } from '../../machinery/quantity.ts';
import type { AdmissionRequest, AdmissionStep } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { concernsNewPods, refuse } from './refuse.ts';
import { createScopeView, type ScopeView } from './scope-view.ts';

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const UNFOUNDED = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

export function runtimeClass(deps: AdmissionDeps): AdmissionStep {
  const classes = createScopeView(deps, 'node.k8s.io/runtimeclasses');
  return {
    name: 'RuntimeClass',
    concerns: concernsNewPods,
    async mutate(request) {
      if (!request.object) return;
      const spec = struct(request.object, 'spec');
      const found = await classOf(request, spec, classes);
      const fixed = found?.overhead?.podFixed;
      if (fixed) {
        if (hasOverhead(spec) && !isSame(spec.overhead, fixed)) throw refuse(request, MISMATCH);
        spec.overhead = { ...fixed };
      }
      if (found?.scheduling) mergeScheduling(request, spec, found.scheduling);
    },
    async validate(request) {
      const spec = request.object?.spec;
      if (!spec) return;
      const fixed = (await classOf(request, spec, classes))?.overhead?.podFixed;
      if (fixed ? !isSame(spec.overhead, fixed) : hasOverhead(spec)) throw refuse(request, fixed ? MISMATCH : UNFOUNDED);
    },
  };
}

async function classOf(request: AdmissionRequest, spec: Struct, classes: ScopeView): Promise<KubeObject | undefined> {
  const name = spec.runtimeClassName;
  if (name === undefined || name === null) return undefined;
  const found = (await classes.all()).find(({ metadata }) => metadata.name === name);
  if (!found) throw refuse(request, `pod rejected: RuntimeClass "${name}" not found`);
  return found;
}

const hasOverhead = (spec: Struct): boolean => Object.keys(spec.overhead ?? {}).length > 0;

function isSame(a: unknown, b: unknown): boolean {
  return deepEqual(canonical(a), canonical(b));
}

function canonical(amounts: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts ?? {}).map(([name, amount]) => [name, canonicalQuantity(String(amount))]));
}

function mergeScheduling(request: AdmissionRequest, spec: Struct, scheduling: Struct): void {
  const own: Record<string, string> = spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries((scheduling.nodeSelector ?? {}) as Record<string, string>)) {
    if (Object.hasOwn(own, key) && own[key] !== value)
      throw refuse(
        request,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own[key]}`,
      );
  }
  if (scheduling.nodeSelector) spec.nodeSelector = { ...own, ...scheduling.nodeSelector };
  const tolerations = mergeTolerations(spec.tolerations ?? [], scheduling.tolerations ?? []);
  if (tolerations.length > 0) spec.tolerations = tolerations;
}

/** Both lists as one; of two where one covers the other, only the wider stays (kubernetes/pkg/util/tolerations). */
export function mergeTolerations(first: readonly Struct[], second: readonly Struct[]): Struct[] {
  const all = [...first, ...second];
  const merged: Struct[] = [];
  all.forEach((toleration, at) => {
    const isCovered =
      merged.some((wider) => covers(wider, toleration)) ||
      all.slice(at + 1).some((wider) => !deepEqual(toleration, wider) && covers(wider, toleration));
    if (!isCovered) merged.push(toleration);
  });
  return merged;
}

function covers(wide: Struct, narrow: Struct): boolean {
  if (deepEqual(wide, narrow)) return true;
  const everyKey = !wide.key && wide.operator === 'Exists';
  if ((wide.key ?? '') !== (narrow.key ?? '') && !everyKey) return false;
  if (wide.effect && wide.effect !== narrow.effect) return false;
  if (wide.effect === 'NoExecute' && typeof wide.tolerationSeconds === 'number') {
    if (typeof narrow.tolerationSeconds !== 'number' || narrow.tolerationSeconds > wide.tolerationSeconds) return false;
  }
  if (wide.operator === 'Exists') return true;
  return narrow.operator === 'Equal' && (narrow.value ?? '') === (wide.value ?? '');
}
