/** Changing one object: read, change, compare, write under compare-and-set, again when somebody was faster. */
import { isUnchanged, mustRemove, prepareUpdate, validateObjectMeta } from '../../apis/lifecycle.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { badRequest, conflict, invalid, notFound, OBJECT_WAS_MODIFIED } from '../../machinery/status.ts';
import type { NewObject, StoredObject, WriteOperation } from '../../ports/object-store.ts';
import type { Core, WriteContext, WriteResult } from '../core.ts';
import { WRITE_ATTEMPTS_MAX } from '../limits.ts';
import type { AdmissionRequest } from '../server.ts';
import type { VersionedObject } from '../types/versioned.ts';
import { admissionRequest, mutate, validate, writeAdmitted } from './admit.ts';
import { busy, placeInNamespace, refuseOversize } from './create.ts';
import { ownersAfter } from './owners.ts';
import { resourceOf } from './read.ts';
import { decode, encode } from './storage.ts';

/** What is to stand in the place of the live object. `tracked`: managedFields are already right. A fresh object, which is taken over. */
export type Change = { object: KubeObject; tracked: boolean };

/** Makes the new state. `live` is only to be read; `copy` gives one that may be changed. */
export type MakeChange = (live: KubeObject, copy: () => KubeObject) => Change | Promise<Change>;

/**
 * Makes a change from the live object and stores it. `change` runs again on a fresh copy when the object was written meanwhile; an object
 * whose resourceVersion the change has set is then refused with 409. `onMissing` makes what is answered when nothing is there.
 */
export async function updateObject(
  core: Core,
  context: WriteContext,
  change: MakeChange,
  onMissing?: () => Promise<WriteResult>,
): Promise<WriteResult> {
  const ref = { scope: context.scope, namespace: context.namespace, name: context.name };
  let stored: VersionedObject | undefined = await core.objects(context.definition).get(ref);
  for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt += 1) {
    if (stored === undefined) {
      if (onMissing) return onMissing();
      throw notFound(resourceOf(context.definition), context.name);
    }
    const { definition, storage } = context;
    const read = stored;
    const live = decode(definition, storage, read);
    const changed = await change(live, () => decode(definition, storage, read));
    checkIdentity(context, changed.object, live);
    const outcome = await replace(core, context, { stored, live }, changed);
    if (outcome.type !== 'stale') return outcome;
    stored = outcome.current;
  }
  throw conflict(resourceOf(context.definition), context.name, OBJECT_WAS_MODIFIED);
}

/** Name, namespace, uid and version of the new state must not contradict what is stored. */
function checkIdentity(context: WriteContext, object: KubeObject, live: KubeObject): void {
  const { metadata } = object;
  if (metadata.name !== undefined && metadata.name !== context.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${context.name})`);
  metadata.name = context.name;
  placeInNamespace(context, metadata);
  if (metadata.resourceVersion && metadata.resourceVersion !== live.metadata.resourceVersion)
    throw conflict(resourceOf(context.definition), context.name, OBJECT_WAS_MODIFIED);
  if (!metadata.uid || metadata.uid === live.metadata.uid) return;
  const detail = `Invalid value: ${JSON.stringify(metadata.uid)}: field is immutable`;
  throw invalid(context.definition, context.name, [{ type: 'Invalid', field: 'metadata.uid', detail }]);
}

type Outcome = WriteResult | { type: 'stale'; current: VersionedObject | undefined };

async function replace(
  core: Core,
  context: WriteContext,
  { stored, live }: { stored: VersionedObject; live: KubeObject },
  change: Change,
): Promise<Outcome> {
  const { definition } = context;
  const { strategy } = definition;
  // In Go's form before it is compared: a zero that Go leaves out is no change, and must not count a generation.
  const form = core.protobuf();
  const asked = form.normalize(change.object);
  strategy.applyDefaults?.(asked);
  if (!change.tracked) asked.metadata.managedFields = ownersAfter(context, live, asked);
  const request = admissionRequest(context, 'update', { object: asked, old: live });
  await mutate(core, request);
  const moment = { now: context.now, subresource: context.subresource };
  const object = form.stored(prepareUpdate(definition, request.object ?? asked, live, moment));
  refuseInvalid(context, object, live);
  request.object = object;
  await validate(core, request);
  for (const text of strategy.warnings?.(object, live) ?? []) context.warn(text);
  // What lies there in an old version or form is written anew even so: that is how a storage version is left.
  if (!stored.stale && isUnchanged(live, object)) return { type: 'unchanged', stored, object: live };
  return write(core, context, request, { stored, object });
}

function refuseInvalid(context: WriteContext, object: KubeObject, live: KubeObject): void {
  const { definition } = context;
  const errors = validateObjectMeta(definition, object, live);
  const { strategy } = definition;
  if (strategy.validateChange) errors.push(...strategy.validateChange(object, live, context.subresource));
  else errors.push(...(strategy.validate?.(object) ?? []), ...(strategy.validateUpdate?.(object, live) ?? []));
  if (errors.length > 0) throw invalid(definition, context.name, errors);
}

/** An object in deletion that has nothing left to wait for goes with this write. */
async function write(
  core: Core,
  context: WriteContext,
  request: AdmissionRequest,
  { stored, object }: { stored: StoredObject; object: KubeObject },
): Promise<Outcome> {
  const removed = mustRemove(context.definition, object);
  const encoded = encode(context.definition, context.storage, object);
  refuseOversize(encoded);
  const type = removed ? 'removed' : 'updated';
  if (context.dryRun) return { type, stored: { ...encoded, resourceVersion: stored.resourceVersion }, object };
  const operation: WriteOperation = { type: removed ? 'delete' : 'update', object: encoded, expected: stored.resourceVersion };
  const outcome = await writeAdmitted(core, context, request, operation);
  if (outcome.type === 'busy') throw busy(outcome.retryAfterSeconds);
  if (outcome.type === 'conflict') return { type: 'stale', current: outcome.current };
  const resourceVersion = outcome.resourceVersions[0] ?? '';
  object.metadata.resourceVersion = resourceVersion;
  return { type, stored: { ...(operation.object as NewObject), resourceVersion }, object };
}
