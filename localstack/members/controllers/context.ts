/** What every controller of a simulated cluster is given. */
import type { Registry, ResourceDefinition } from '../../../shared/apis/definition.ts';
import type { ResourceService } from '../../../shared/apiserver/server.ts';
import { deepEqual } from '../../../shared/machinery/equality.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { StatusError } from '../../../shared/machinery/status.ts';
import type { Clock, Ids, Log } from '../../../shared/ports/system.ts';
import type { Cache } from './cache.ts';

export type ControllerContext = {
  /** Name of the simulated cluster: part of node names. */
  cluster: string;
  cache: Cache;
  api: ResourceService;
  kinds: Kinds;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** When this process bound a pod, by uid (epoch ms): finer than the times in conditions, and not needed after a restart. */
  boundAt: Map<string, number>;
  /** When this process saw that a pod is being deleted, by uid (epoch ms). */
  goingAt: Map<string, number>;
  /** Asks to be called again for `queueKey` at a time (epoch ms). */
  wakeAt(queueKey: string, at: number): void;
};

/** The definitions that the controllers write. */
export type Kinds = (resource: string) => ResourceDefinition;

export function kindsOf(registry: Registry): Kinds {
  const byPlural = new Map<string, ResourceDefinition>();
  for (const definition of registry.all())
    if (!definition.storedAs && !byPlural.has(definition.plural)) byPlural.set(definition.plural, definition);
  return (resource) => {
    const definition = byPlural.get(resource);
    if (!definition) throw new Error(`the registry does not know ${resource}`);
    return definition;
  };
}

/** Runs a write; a lost race (conflict, gone, already there) is no failure: the change that won will bring the controller back. */
export async function tolerateRace<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (error) {
    if (error instanceof StatusError && [404, 409].includes(error.status.code)) return undefined;
    throw error;
  }
}

/** An owner reference that makes `owner` the controller. */
export function controllerReference(owner: KubeObject) {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name ?? '',
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Writes `status` when it differs from what is there. */
export async function writeStatus(
  context: ControllerContext,
  resource: string,
  object: KubeObject,
  status: Record<string, unknown>,
): Promise<void> {
  if (deepEqual(object.status ?? {}, status)) return;
  await tolerateRace(
    context.api.update(
      context.kinds(resource),
      { ...object, status },
      { subresource: 'status', fieldManager: 'kube-controller-manager' },
    ),
  );
}
