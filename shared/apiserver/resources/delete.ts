/** Deleting one object or a collection (reference: Kubernetes' delete semantics): preconditions, grace, finalizers, removal. */
import { type DeleteOptions, planDelete } from '../../apis/lifecycle.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { conflict, notFound, OBJECT_WAS_MODIFIED, StatusError } from '../../machinery/status.ts';
import type { StoredObject, WriteOperation } from '../../ports/object-store.ts';
import type { Core, WriteContext, WriteResult } from '../core.ts';
import { WRITE_ATTEMPTS_MAX } from '../limits.ts';
import { admissionRequest, mutate, validate } from './admit.ts';
import { busy } from './create.ts';
import { resourceOf } from './read.ts';
import { decode, encode } from './storage.ts';

/** Deletes by name; `removed`: it is gone, `updated`: it waits for its finalizers or its grace period. Throws StatusError. */
export async function deleteObject(core: Core, context: WriteContext, options: DeleteOptions): Promise<WriteResult> {
  const ref = { scope: context.scope, namespace: context.namespace, name: context.name };
  let stored = await core.objects(context.definition).get(ref);
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt += 1) {
    if (stored === undefined) throw notFound(resourceOf(context.definition), context.name);
    const outcome = await deleteOnce(core, context, stored, options);
    if (outcome.type !== 'stale') return outcome;
    stored = outcome.current;
  }
  throw conflict(resourceOf(context.definition), context.name, OBJECT_WAS_MODIFIED);
}

type Outcome = WriteResult | { type: 'stale'; current: StoredObject | undefined };

async function deleteOnce(core: Core, context: WriteContext, stored: StoredObject, options: DeleteOptions): Promise<Outcome> {
  const { definition, storage } = context;
  const live = decode(definition, storage, stored);
  checkPreconditions(context, live, options);
  const request = admissionRequest(context, 'delete', { old: live });
  await mutate(core, request);
  await validate(core, request);
  const plan = planDelete(definition, live, options, context.now);
  if (plan.type === 'unchanged') return { type: 'unchanged', stored, object: live };
  const type = plan.type === 'remove' ? 'removed' : 'updated';
  const object = encode(definition, storage, plan.object);
  // As etcd: what is written as it stands is not written, or clients that delete again and again would wake every watch.
  if (plan.type === 'mark' && object.body === stored.body) return { type: 'unchanged', stored, object: plan.object };
  if (context.dryRun) return { type, stored: { ...object, resourceVersion: stored.resourceVersion }, object: plan.object };
  const operation: WriteOperation = {
    type: plan.type === 'remove' ? 'delete' : 'update',
    object,
    expected: stored.resourceVersion,
  };
  const outcome = await core.objects(definition).write({ operations: [operation], writer: context.writer });
  if (outcome.type === 'busy') throw busy(outcome.retryAfterSeconds);
  if (outcome.type === 'conflict') return { type: 'stale', current: outcome.current };
  const resourceVersion = outcome.resourceVersions[0] ?? '';
  plan.object.metadata.resourceVersion = resourceVersion;
  return { type, stored: { ...object, resourceVersion }, object: plan.object };
}

function checkPreconditions(context: WriteContext, { metadata }: KubeObject, { preconditions }: DeleteOptions): void {
  // Upstream names the kind here, not the resource.
  const resource = { group: context.definition.group, resource: context.definition.kind };
  if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid)
    throw conflict(
      resource,
      context.name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    );
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion)
    throw conflict(
      resource,
      context.name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
}

/** Deletes each of a list by the same path; what went away meanwhile is passed over. Answers what each was at last. */
export async function deleteEach(
  core: Core,
  contextOf: (object: StoredObject) => WriteContext,
  objects: readonly StoredObject[],
  options: DeleteOptions,
): Promise<StoredObject[]> {
  const deleted: StoredObject[] = [];
  for (const object of objects) {
    try {
      deleted.push((await deleteObject(core, contextOf(object), options)).stored);
    } catch (error) {
      if (!(error instanceof StatusError && error.status.code === 404)) throw error;
    }
  }
  return deleted;
}
