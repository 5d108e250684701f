/** The admission chain around one write: every step may change the object, then every step may refuse it. */
import type { ResourceDefinition } from '../../apis/definition.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { conflict, OBJECT_WAS_MODIFIED } from '../../machinery/status.ts';
import type { WriteOperation, WriteOutcome } from '../../ports/object-store.ts';
import type { Core, WriteContext } from '../core.ts';
import { WRITE_ATTEMPTS_MAX } from '../limits.ts';
import type { AdmissionRequest, AdmissionStep, AdmissionTarget } from '../server.ts';
import { resourceOf } from './read.ts';

/** The steps that look at one sort of write. */
type Steps = { mutating: readonly AdmissionStep[]; validating: readonly AdmissionStep[] };

/** A chain that knows which of its steps look at what, so that a write costs nothing for the steps that do not. */
export type AdmissionChain = { stepsFor(target: AdmissionTarget): Steps };

export function createAdmissionChain(steps: readonly AdmissionStep[]): AdmissionChain {
  const known = new WeakMap<ResourceDefinition, Map<string, Steps>>();
  return {
    stepsFor(target) {
      const { definition, operation, subresource } = target;
      const bySort = known.get(definition) ?? new Map<string, Steps>();
      known.set(definition, bySort);
      const sort = subresource === '' ? operation : `${operation}/${subresource}`;
      const found = bySort.get(sort);
      if (found) return found;
      const concerned = steps.filter((step) => step.concerns?.(target) ?? true);
      const made = {
        mutating: concerned.filter((step) => step.mutate !== undefined),
        validating: concerned.filter((step) => step.validate !== undefined),
      };
      bySort.set(sort, made);
      return made;
    },
  };
}

/** A request of the chain. The same one is given to both passes, so that `object` is what mutation left. */
export function admissionRequest(
  context: WriteContext,
  operation: AdmissionRequest['operation'],
  objects: { object?: KubeObject; old?: KubeObject },
): AdmissionRequest {
  const { definition, subresource, namespace, user, dryRun, warn, annotate } = context;
  const name = objects.object?.metadata.name ?? objects.old?.metadata.name ?? context.name;
  const reinvocation: AdmissionRequest['reinvocation'] = { round: 1, needed: false };
  return {
    definition,
    operation,
    subresource,
    namespace,
    name,
    ...objects,
    user,
    dryRun,
    warn,
    ...(annotate ? { annotate } : {}),
    reinvocation,
  };
}

/** The first pass. What it changes has no owner among the managedFields: upstream notes the owners before it admits. */
export async function mutate(core: Core, request: AdmissionRequest): Promise<void> {
  const { mutating } = core.admission.stepsFor(request);
  for (const step of mutating) await step.mutate?.(request);
  if (!request.reinvocation?.needed) return;
  request.reinvocation.round = 2;
  for (const step of mutating) await step.mutate?.(request);
}

/** The second pass, on what is about to be stored. */
export async function validate(core: Core, request: AdmissionRequest): Promise<void> {
  for (const step of core.admission.stepsFor(request).validating) await step.validate?.(request);
}

/** Stores an admitted object, and what admission wants to be stored with it. A conflict that is answered is the object's own. Throws StatusError. */
export async function writeAdmitted(
  core: Core,
  context: WriteContext,
  request: AdmissionRequest,
  operation: WriteOperation,
): Promise<WriteOutcome> {
  const { definition, writer } = context;
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt += 1) {
    const alongside = (await request.alongside?.()) ?? [];
    const outcome = await core.objects(definition).write({ operations: [operation, ...alongside], writer });
    if (outcome.type !== 'conflict' || outcome.index < 1) return outcome;
  }
  throw conflict(resourceOf(definition), request.name, OBJECT_WAS_MODIFIED);
}
