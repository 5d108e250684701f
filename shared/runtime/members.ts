/** From a FederatedCluster to a client of its member: credentials come from the Secret that it names, and are read at every call. */
import type { KubeObject } from '../machinery/object.ts';
import type { MemberClient, MemberClients, MemberConnection } from '../ports/member-client.ts';
import type { ObjectReader } from './objects.ts';

/** How a cluster and its Secret make a connection; pure, given by the federation. */
export type ConnectionOf = (
  cluster: KubeObject,
  secret: KubeObject | undefined,
) => { type: 'ok'; connection: MemberConnection } | { type: 'invalid'; message: string };

export type MemberAccess = {
  /** The client of a member. `invalid`: its Secret is missing or incomplete; the message says what to do. */
  connect(cluster: KubeObject): Promise<{ type: 'ok'; client: MemberClient } | { type: 'invalid'; message: string }>;
  /** Closes what was opened for a cluster that is gone. */
  forget(cluster: string): Promise<void>;
};

/** Member access over stored clusters and Secrets. `secretNamespace` is where join Secrets lie. */
export function createMemberAccess(deps: {
  reader: ObjectReader;
  clients: MemberClients;
  connectionOf: ConnectionOf;
  secretNamespace: string;
}): MemberAccess {
  return {
    async connect(cluster) {
      const name: unknown = cluster.spec?.secretRef?.name;
      const secret =
        typeof name === 'string' && name !== ''
          ? await deps.reader.get({ scope: '/secrets', namespace: deps.secretNamespace, name })
          : undefined;
      const result = deps.connectionOf(cluster, secret?.object);
      return result.type === 'ok' ? { type: 'ok', client: deps.clients.connect(result.connection) } : result;
    },
    forget: (cluster) => deps.clients.forget(cluster),
  };
}
