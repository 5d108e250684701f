/** The admission chain around one write: every step may change the object, then every step may refuse it. */
import { cloneJson, deepEqual } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { Core, WriteContext } from '../core.ts';
import type { AdmissionRequest } from '../server.ts';
import { ownersAfter } from './owners.ts';

/** A request of the chain. The same one is given to both passes, so that `object` is what mutation left. */
export function admissionRequest(
  context: WriteContext,
  operation: AdmissionRequest['operation'],
  objects: { object?: KubeObject; old?: KubeObject },
): AdmissionRequest {
  const { definition, subresource, namespace, user, dryRun, warn } = context;
  const name = objects.object?.metadata.name ?? objects.old?.metadata.name ?? context.name;
  return { definition, operation, subresource, namespace, name, ...objects, user, dryRun, warn };
}

/** The first pass of a delete, which changes nothing. */
export async function mutate(core: Core, request: AdmissionRequest): Promise<void> {
  for (const step of core.admission) await step.mutate?.(request);
}

/** The first pass of a write. What admission changes belongs to the writer, as upstream has it. */
export async function mutateTracked(core: Core, context: WriteContext, request: AdmissionRequest): Promise<void> {
  const { object } = request;
  // Most chains change nothing: only one that may is worth a copy.
  const before = core.changesObjects && object ? cloneJson(object) : undefined;
  await mutate(core, request);
  const after = request.object;
  if (before === undefined || after === undefined || deepEqual(before, after)) return;
  after.metadata.managedFields = ownersAfter(context, before, after);
}

export async function validate(core: Core, request: AdmissionRequest): Promise<void> {
  for (const step of core.admission) await step.validate?.(request);
}
