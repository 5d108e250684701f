/** MemberClient over HTTPS: JSON only, one kept connection pool per member. */
import { stringifyJson } from '../../machinery/codec/json.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import type { GroupVersionResource } from '../../machinery/resource.ts';
import type { MemberClient, MemberClients, MemberConnection, MemberFailure, MemberResult } from '../../ports/member-client.ts';
import type { Log } from '../../ports/system.ts';
import { discover } from './discover.ts';
import { unreachable } from './failures.ts';
import { type Call, createMemberHttp, type MemberHttp } from './http.ts';
import { LIST_TIMEOUT_MS, PAGE_OBJECTS, PAGES_MAX, WATCH_SECONDS } from './limits.ts';
import { collectionPath, objectPath, queryString } from './paths.ts';
import { watchEvents } from './watch.ts';

/** Name under which members record what is ours. */
export const FIELD_MANAGER = 'lamiral';

const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Clients by cluster. A connection that changed replaces the client; calls under way on the old one fail as unreachable and come again. */
export function createMemberClients({ log }: { log: Log }): MemberClients {
  const clients = new Map<string, { key: string; http: MemberHttp; client: MemberClient }>();
  return {
    connect(connection) {
      const key = JSON.stringify(connection);
      const known = clients.get(connection.cluster);
      if (known?.key === key) return known.client;
      if (known) {
        log.info(`cluster ${connection.cluster}: its endpoint or credentials changed, connecting anew`);
        void known.http.close();
      }
      const http = createMemberHttp(connection);
      const client = createClient(connection, http);
      clients.set(connection.cluster, { key, http, client });
      return client;
    },
    async forget(cluster) {
      const known = clients.get(cluster);
      clients.delete(cluster);
      await known?.http.close();
    },
    async close() {
      const open = [...clients.values()];
      clients.clear();
      await Promise.all(open.map(({ http }) => http.close()));
    },
  };
}

function createClient(connection: MemberConnection, http: MemberHttp): MemberClient {
  const object = async (call: Call): Promise<MemberResult<KubeObject>> =>
    (await http.json(call)) as unknown as MemberResult<KubeObject>;
  return {
    apply: (ref, desired, { force }) =>
      object({
        method: 'PATCH',
        path: objectPath(ref) + queryString({ fieldManager: FIELD_MANAGER, force: String(force), fieldValidation: 'Ignore' }),
        contentType: 'application/apply-patch+yaml',
        body: stringifyJson(desired as JsonObject),
      }),
    get: (ref) => object({ method: 'GET', path: objectPath(ref) }),
    create: (ref, created) =>
      object({
        method: 'POST',
        path: collectionPath(ref, ref.namespace) + queryString({ fieldManager: FIELD_MANAGER }),
        body: stringifyJson(created as JsonObject),
        repeatable: false,
      }),
    list: (resource, options) => listAll(http, connection, resource, options),
    watch: (resource, { labelSelector, resourceVersion, signal }) => {
      const query = queryString({
        watch: 'true',
        allowWatchBookmarks: 'true',
        timeoutSeconds: String(WATCH_SECONDS),
        resourceVersion,
        labelSelector,
      });
      return watchEvents(connection, http, collectionPath(resource, '') + query, signal);
    },
    patch: (ref, patch) =>
      object({
        method: 'PATCH',
        path: objectPath(ref) + queryString({ fieldManager: FIELD_MANAGER }),
        contentType: 'application/merge-patch+json',
        body: stringifyJson(patch),
      }),
    async delete(ref, preconditions) {
      const body = stringifyJson({ apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', preconditions });
      const result = await http.text({ method: 'DELETE', path: objectPath(ref), body });
      return result.type === 'ok' ? { type: 'ok', value: undefined } : result;
    },
    discover: async () => aboutCluster(connection, await discover(http)),
    health: async () => aboutCluster(connection, await http.text({ method: 'GET', path: '/healthz', accept: '*/*' })),
    openApi: (path) => http.json({ method: 'GET', path: `/openapi/v3/${path}` }),
    async version() {
      const result = await http.json({ method: 'GET', path: '/version' });
      if (result.type !== 'ok') return aboutCluster(connection, result);
      return { type: 'ok', value: String(result.value.gitVersion ?? '') };
    },
  };
}

/** A 403 about an object is that object's trouble; a 403 about the whole API is the cluster's. */
function aboutCluster<T>(connection: MemberConnection, result: MemberResult<T>): MemberResult<T> {
  const isForbidden = result.type === 'rejected' && result.code === 403;
  return isForbidden
    ? unreachable(connection, 'forbidden', (result as Extract<MemberFailure, { code: number }>).message)
    : result;
}

type ListBody = {
  apiVersion?: string;
  kind?: string;
  items?: KubeObject[];
  metadata?: { resourceVersion?: string; continue?: string };
};

async function listAll(
  http: MemberHttp,
  connection: MemberConnection,
  resource: GroupVersionResource,
  options: { namespace?: string; labelSelector?: string; fieldSelector?: string; metadataOnly?: boolean },
): Promise<MemberResult<{ items: KubeObject[]; resourceVersion: string }>> {
  const items: KubeObject[] = [];
  let next: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = queryString({
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      limit: String(PAGE_OBJECTS),
      continue: next,
    });
    const result = await http.json({
      method: 'GET',
      path: collectionPath(resource, options.namespace ?? '') + query,
      timeoutMs: LIST_TIMEOUT_MS,
      ...(options.metadataOnly ? { accept: METADATA_ONLY } : {}),
    });
    if (result.type !== 'ok') return result;
    const body = result.value as unknown as ListBody;
    // Items of a list do not name their own kind.
    const kind = (body.kind ?? '').replace(/List$/, '');
    for (const item of body.items ?? [])
      items.push({ ...item, apiVersion: item.apiVersion ?? body.apiVersion, kind: item.kind ?? kind });
    next = body.metadata?.continue;
    if (!next) return { type: 'ok', value: { items, resourceVersion: body.metadata?.resourceVersion ?? '' } };
  }
  return unreachable(connection, 'other', `more than ${PAGES_MAX * PAGE_OBJECTS} ${resource.resource}`);
}
