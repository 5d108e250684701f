/** The admission chain around one write: every step may change the object, then every step may refuse it. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Core, WriteContext } from '../core.ts';
import type { AdmissionRequest } from '../server.ts';

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

export async function mutate(core: Core, request: AdmissionRequest): Promise<void> {
  for (const step of core.admission) await step.mutate?.(request);
}

export async function validate(core: Core, request: AdmissionRequest): Promise<void> {
  for (const step of core.admission) await step.validate?.(request);
}
