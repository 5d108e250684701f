/** ResourceService: the same storage, defaulting, admission and deletion rules as behind HTTP, for controllers that run beside the server. */
import type { ResourceDefinition } from '../apis/definition.ts';
import { storedScope } from '../apis/stored.ts';
import type { KubeObject } from '../machinery/object.ts';
import { methodNotAllowed } from '../machinery/status.ts';
import type { Core, WriteContext } from './core.ts';
import { applyObject } from './resources/apply.ts';
import { createObject } from './resources/create.ts';
import { deleteObject } from './resources/delete.ts';
import { listStored } from './resources/list.ts';
import { APPLY_PATCH, readPatch } from './resources/patch.ts';
import { readStored } from './resources/read.ts';
import { parseSelection } from './resources/selection.ts';
import { decode, storageOf } from './resources/storage.ts';
import { updateObject } from './resources/update.ts';
import type { ResourceService, User, WriteOptions } from './server.ts';

/** Who writes when nobody is named. */
const SYSTEM: User = { name: 'system:lamiral', groups: ['system:masters', 'system:authenticated'] };
const DEFAULT_MANAGER = 'lamiral';

/** Objects that are given are copied, objects that are returned are the caller's own. */
export function createResourceService(core: Core): ResourceService {
  return {
    async get(definition, namespace, name) {
      const stored = await readStored(core, definition, { scope: storedScope(definition), namespace, name });
      return decode(definition, storageOf(core.deps.registry(), definition), stored);
    },
    list: (definition, options) => list(core, definition, options),
    async create(definition, object, options) {
      const context = contextOf(core, definition, object.metadata, options);
      return (await createObject(core, context, structuredClone(object), { tracked: false })).object;
    },
    async update(definition, object, options) {
      const context = contextOf(core, definition, object.metadata, options);
      return (await updateObject(core, context, () => ({ object: structuredClone(object), tracked: false }))).object;
    },
    patch: (definition, namespace, name, patch, options) =>
      patchObject(core, contextOf(core, definition, { namespace, name }, options), patch),
    async delete(definition, namespace, name, options = {}) {
      const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options;
      const preconditions = {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      };
      await deleteObject(core, contextOf(core, definition, { namespace, name }, undefined), {
        preconditions,
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      });
    },
  };
}

async function list(
  core: Core,
  definition: ResourceDefinition,
  options: { namespace?: string; labelSelector?: string; fieldSelector?: string },
): Promise<{ items: KubeObject[]; resourceVersion: string }> {
  const storage = storageOf(core.deps.registry(), definition);
  const selectors = { labels: options.labelSelector ?? '', fields: options.fieldSelector ?? '' };
  const selection = parseSelection(definition, storage, options.namespace ?? '', selectors);
  const all = { limit: 0, token: undefined, exact: 0, notOlderThan: 0 };
  const { items, meta } = await listStored(core, storedScope(definition), selection, all);
  return { items: items.map((stored) => decode(definition, storage, stored)), resourceVersion: meta.resourceVersion };
}

async function patchObject(
  core: Core,
  context: WriteContext,
  patch: { contentType: string; body: string; force?: boolean },
): Promise<KubeObject> {
  const allowed = async () => undefined;
  if (patch.contentType === APPLY_PATCH)
    return (await applyObject(core, context, { text: patch.body, force: patch.force ?? false }, allowed)).object;
  if (patch.force) throw methodNotAllowed();
  return (await updateObject(core, context, readPatch(context, { mediaType: patch.contentType, text: patch.body }))).object;
}

function contextOf(
  core: Core,
  definition: ResourceDefinition,
  { namespace, name }: { namespace?: string; name?: string },
  options: WriteOptions | undefined,
): WriteContext {
  const registry = core.deps.registry();
  const manager = options?.fieldManager ?? DEFAULT_MANAGER;
  return {
    registry,
    definition,
    storage: storageOf(registry, definition),
    scope: storedScope(definition),
    namespace: definition.namespaced ? (namespace ?? '') : '',
    name: name ?? '',
    subresource: options?.subresource ?? '',
    user: options?.user ?? SYSTEM,
    manager,
    dryRun: false,
    fieldValidation: 'Ignore',
    now: core.deps.clock.now(),
    writer: manager,
    warn: () => undefined,
  };
}
