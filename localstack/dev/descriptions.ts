/** Finds the member whose prose `kubectl explain` shows: at the start among those that are joined, later as they come and go. */
import { SCOPES } from '../../shared/federation/type-config.ts';
import type { Store } from '../../shared/ports/object-store.ts';
import type { Log } from '../../shared/ports/system.ts';
import type { DescribingMember, MemberDescriptions } from '../../shared/runtime/descriptions.ts';
import type { MemberAccess } from '../../shared/runtime/members.ts';
import type { ObjectReader } from '../../shared/runtime/objects.ts';

/** Members that are asked at the start. */
const MEMBERS_ASKED_MAX = 20;

type Deps = { descriptions: MemberDescriptions; store: Store; reader: ObjectReader; members: MemberAccess; log: Log };
type ClusterChange = { cluster: string; type: 'joined' | 'ready' | 'offline' | 'gone' };

export type DescriptionSearch = { start(): void; changed(change: ClusterChange): void };

export function createDescriptionSearch({ descriptions, store, reader, members, log }: Deps): DescriptionSearch {
  const memberOf = (cluster: string): DescribingMember => ({
    cluster,
    async connect() {
      const found = await reader.get({ scope: SCOPES.clusters, namespace: '', name: cluster });
      const access = found && (await members.connect(found.object));
      return access?.type === 'ok' ? access.client : undefined;
    },
  });
  // Nobody waits for prose, and nothing depends on it.
  const inBackground = (search: Promise<void>) =>
    void search.catch((error) => log.warn('no descriptions of types from members', { error: String(error) }));
  const all = async () => {
    const page = await store.objects.list({ scope: SCOPES.clusters, limit: MEMBERS_ASKED_MAX });
    if (page.type === 'page') await descriptions.look(page.items.map(({ name }) => memberOf(name)));
  };
  return {
    start: () => inBackground(all()),
    changed({ cluster, type }) {
      if (type === 'ready') inBackground(descriptions.look([memberOf(cluster)]));
      if (type !== 'gone' && type !== 'offline') return;
      descriptions.drop(cluster);
      inBackground(all());
    },
  };
}
