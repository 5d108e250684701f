/** Puts objects into a server that are to be there from the start. */
import type { Registry, ResourceDefinition } from '../shared/apis/definition.ts';
import { kubernetesEndpoints } from '../shared/apis/seeds.ts';
import type { ApiServer } from '../shared/apiserver/server.ts';
import type { KubeObject } from '../shared/machinery/object.ts';
import { parseApiVersion } from '../shared/machinery/resource.ts';
import { StatusError } from '../shared/machinery/status.ts';

const MANAGER = 'lamiral-seed';

/** An address of RFC 5737 that is nobody's: the server listens on loopback, and no endpoint may name a loopback address. */
const NOBODY = '192.0.2.1';
const SECURE_PORT = 6443;

/** Endpoints and EndpointSlice behind the Service `default/kubernetes` of a server on this machine. */
export function localEndpoints(): KubeObject[] {
  return kubernetesEndpoints(NOBODY, SECURE_PORT);
}

/** The definition of an object's kind; throws when it is not served. */
export function definitionOf(registry: Registry, object: KubeObject): ResourceDefinition {
  const { group, version } = parseApiVersion(object.apiVersion);
  const definition = registry.byKind(group, version, object.kind);
  if (!definition)
    throw new Error(`${object.kind} ${object.metadata.name} cannot be seeded: ${object.apiVersion} ${object.kind} is not served`);
  return definition;
}

/** The object as it is served, or undefined. */
export async function find(
  server: ApiServer,
  definition: ResourceDefinition,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  try {
    return await server.resources.get(definition, namespace, name);
  } catch (error) {
    if (error instanceof StatusError && error.status.code === 404) return undefined;
    throw error;
  }
}

/** Creates what is missing; what is there, from an earlier start or changed by the user, stays. Returns how many were made. */
export async function ensureObjects(server: ApiServer, registry: Registry, objects: readonly KubeObject[]): Promise<number> {
  let made = 0;
  for (const object of objects) {
    const definition = definitionOf(registry, object);
    if (await find(server, definition, object.metadata.namespace ?? '', object.metadata.name ?? '')) continue;
    const created = await server.resources.create(definition, object, { fieldManager: MANAGER });
    made += 1;
    if (object.status === undefined || !definition.status) continue;
    await server.resources.update(
      definition,
      { ...created, status: object.status },
      { subresource: 'status', fieldManager: MANAGER },
    );
  }
  return made;
}

/** Creates the object, or changes what is there by a merge patch, so that it holds what is given. */
export async function putObject(server: ApiServer, registry: Registry, object: KubeObject): Promise<void> {
  const definition = definitionOf(registry, object);
  const { namespace = '', name = '' } = object.metadata;
  if (await find(server, definition, namespace, name)) {
    const body = JSON.stringify({
      ...object,
      metadata: { labels: object.metadata.labels ?? {}, annotations: object.metadata.annotations ?? {} },
    });
    await server.resources.patch(
      definition,
      namespace,
      name,
      { contentType: 'application/merge-patch+json', body },
      { fieldManager: MANAGER },
    );
    return;
  }
  await server.resources.create(definition, object, { fieldManager: MANAGER });
}
