/** How controllers write: around HTTP and admission, within the rules of apis/lifecycle, under compare-and-set. */
import type { ResourceDefinition } from '../../../shared/apis/definition.ts';
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import type { WriteOperation } from '../../../shared/ports/object-store.ts';
import { CONTROLLER_WRITER } from '../../../shared/runtime/control/router.ts';
import type { Loaded } from '../../../shared/runtime/objects.ts';
import { createOperation, deleteOperation, updateOperation, type WritePart } from '../../../shared/runtime/operations.ts';
import { definitionOf } from '../garbage.ts';
import type { ControlDeps } from './controller.ts';

/** Creates an object. False: something of its name is there, or the store is busy; looking again will tell. */
export async function create(deps: ControlDeps, scope: string, object: KubeObject, part?: WritePart): Promise<boolean> {
  const definition = definitionOf(deps, scope);
  withDefaults(definition, object);
  const identity = { now: deps.clock.now(), uid: deps.ids.uid(), ...(part ? { part } : {}) };
  return commit(deps, createOperation(definition, object, identity));
}

/** Replaces what was read. True also when that changes nothing; false: it was changed meanwhile. */
export async function update(deps: ControlDeps, from: Loaded, object: KubeObject, part: WritePart = 'object'): Promise<boolean> {
  const operation = updateOperation(definitionOf(deps, from.stored.scope), from, object, { now: deps.clock.now(), part });
  return operation === undefined || commit(deps, operation);
}

/** Deletes what was read, as a DELETE with background propagation would. */
export async function remove(deps: ControlDeps, from: Loaded): Promise<boolean> {
  const definition = definitionOf(deps, from.stored.scope);
  const operation = deleteOperation(definition, from, { now: deps.clock.now(), propagationPolicy: 'Background' });
  return operation === undefined || commit(deps, operation);
}

/** The namespace, unless it is gone or going: nothing is made in such a one. */
export async function livingNamespace(deps: ControlDeps, name: string): Promise<KubeObject | undefined> {
  const namespace = await deps.reader.get(namespaceRef(name));
  return namespace?.object.metadata.deletionTimestamp === undefined ? namespace?.object : undefined;
}

export function namespaceRef(name: string): ObjectRef {
  return { scope: '/namespaces', namespace: '', name };
}

async function commit(deps: ControlDeps, operation: WriteOperation): Promise<boolean> {
  const outcome = await deps.objects.write({ operations: [operation], writer: CONTROLLER_WRITER });
  return outcome.type === 'committed';
}

/** What the API would fill in beyond what `prepareCreate` does. */
function withDefaults(definition: ResourceDefinition, object: KubeObject): void {
  definition.strategy.applyDefaults?.(object);
}
