/** Creating one object, in the order of kube-apiserver: defaults, mutating admission, identity, ownership, validation, store. */
import { prepareCreate, validateObjectMeta } from '../../apis/lifecycle.ts';
import type { KubeObject } from '../../machinery/object.ts';
import {
  alreadyExists,
  badRequest,
  failure,
  forbidden,
  invalid,
  requestEntityTooLarge,
  StatusError,
  tooManyRequests,
} from '../../machinery/status.ts';
import type { NewObject, StoredObject } from '../../ports/object-store.ts';
import type { Core, WriteContext, WriteResult } from '../core.ts';
import { GENERATE_NAME_BASE_MAX, GENERATE_NAME_TRIES, OBJECT_BYTES_MAX } from '../limits.ts';
import type { AdmissionRequest } from '../server.ts';
import { admissionRequest, mutate, validate, writeAdmitted } from './admit.ts';
import { ownersAfter } from './owners.ts';
import { resourceOf } from './read.ts';
import { decode, encode } from './storage.ts';

/** `tracked`: `metadata.managedFields` are already right (server-side apply). The object is taken over. Throws StatusError. */
export async function createObject(
  core: Core,
  context: WriteContext,
  object: KubeObject,
  options: { tracked: boolean },
): Promise<WriteResult> {
  const { definition } = context;
  if (definition.custom?.terminating) throw terminating(context, object.metadata);
  if (object.metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  placeInNamespace(context, object.metadata);
  // In Go's form: what clients compare with is what the real API server shows.
  const { normalize, stored } = core.protobuf();
  const asked = normalize(object);
  definition.strategy.applyDefaults?.(asked);
  const base = asked.metadata.name ? '' : (asked.metadata.generateName ?? '');
  if (base !== '') asked.metadata.name = generateName(core, base);
  if (!options.tracked) asked.metadata.managedFields = ownersAfter(context, undefined, asked);
  const request = admissionRequest(context, 'create', { object: asked });
  await mutate(core, request);
  const identity = { now: context.now, uid: core.deps.ids.uid() };
  const prepared = stored(prepareCreate(definition, request.object ?? asked, identity));
  // Defaults also hold for what preparing has added: upstream fills them in again whenever it reads.
  definition.strategy.applyDefaults?.(prepared);
  refuseInvalid(context, prepared);
  request.object = prepared;
  await validate(core, request);
  for (const text of definition.strategy.warnings?.(prepared, undefined) ?? []) context.warn(text);
  return store(core, context, request, prepared, base === '' ? 1 : GENERATE_NAME_TRIES);
}

/** Instances are being deleted with their definition. */
function terminating({ definition }: WriteContext, { name = '' }: KubeObject['metadata']): StatusError {
  return forbidden(resourceOf(definition), name, 'create not allowed while custom resource definition is terminating');
}

/** The URL's namespace counts; a body may repeat it, never contradict it. */
export function placeInNamespace(context: WriteContext, metadata: KubeObject['metadata']): void {
  if (!context.definition.namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace && metadata.namespace !== context.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  metadata.namespace = context.namespace;
}

function generateName(core: Core, base: string): string {
  return `${base.slice(0, GENERATE_NAME_BASE_MAX)}${core.deps.ids.suffix()}`;
}

function refuseInvalid(context: WriteContext, object: KubeObject): void {
  const { definition } = context;
  const errors = validateObjectMeta(definition, object);
  errors.push(...(definition.strategy.validate?.(object) ?? []));
  if (errors.length > 0) throw invalid(definition, object.metadata.name ?? '', errors);
}

/** A generated name that is taken is drawn again. */
async function store(
  core: Core,
  context: WriteContext,
  request: AdmissionRequest,
  object: KubeObject,
  tries: number,
): Promise<WriteResult> {
  for (let attempt = 1; ; attempt += 1) {
    const encoded = encode(context.definition, context.storage, object);
    refuseOversize(encoded);
    const stored = context.dryRun ? await tryOut(core, context, encoded) : await commit(core, context, request, encoded);
    if (stored.type === 'created') {
      if (stored.object.resourceVersion !== '') object.metadata.resourceVersion = stored.object.resourceVersion;
      return { type: 'created', stored: stored.object, object };
    }
    if (attempt >= tries) throw nameTaken(context, object, stored.current, tries > 1);
    object.metadata.name = generateName(core, object.metadata.generateName ?? '');
  }
}

type Attempt = { type: 'created'; object: StoredObject } | { type: 'taken'; current: StoredObject | undefined };

async function tryOut(core: Core, { definition }: WriteContext, object: NewObject): Promise<Attempt> {
  const current = await core.objects(definition).get(object);
  return current ? { type: 'taken', current } : { type: 'created', object: { ...object, resourceVersion: '' } };
}

async function commit(core: Core, context: WriteContext, request: AdmissionRequest, object: NewObject): Promise<Attempt> {
  const outcome = await writeAdmitted(core, context, request, { type: 'create', object });
  if (outcome.type === 'busy') throw busy(outcome.retryAfterSeconds);
  if (outcome.type === 'conflict') return { type: 'taken', current: outcome.current };
  return { type: 'created', object: { ...object, resourceVersion: outcome.resourceVersions[0] ?? '' } };
}

function nameTaken(
  context: WriteContext,
  object: KubeObject,
  current: StoredObject | undefined,
  generated: boolean,
): StatusError {
  const resource = resourceOf(context.definition);
  const name = object.metadata.name ?? '';
  const { status } = alreadyExists(resource, name);
  if (generated) {
    const message = `${status.message}, the server was not able to generate a unique name for the object`;
    return failure(409, 'AlreadyExists', message, { ...status.details, retryAfterSeconds: 1 });
  }
  const terminating = current && decode(context.definition, context.storage, current).metadata.deletionTimestamp;
  return terminating
    ? new StatusError({ ...status, message: `object is being deleted: ${status.message}` })
    : new StatusError(status);
}

/** 400: a body that must name its object does not. */
export function unnamed({ name }: WriteContext): StatusError {
  return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}

/** 429: nothing was written, the same request may succeed in a moment. */
export function busy(retryAfterSeconds: number): StatusError {
  return tooManyRequests('the store is busy, please try again later', retryAfterSeconds);
}

/** 413 for what the store does not keep. */
export function refuseOversize(object: NewObject): void {
  const bytes = object.body.length > OBJECT_BYTES_MAX / 3 ? Buffer.byteLength(object.body) : 0;
  if (bytes > OBJECT_BYTES_MAX) throw requestEntityTooLarge(`the object has ${bytes} bytes, limit is ${OBJECT_BYTES_MAX}`);
}
