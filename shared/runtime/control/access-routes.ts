/** What wakes the controllers of roles and of ServiceAccounts' token Secrets. */
import type { ObjectRef } from '../../apis/stored.ts';
import type { FeedEntry } from '../../ports/object-store.ts';
import { listStored } from '../objects.ts';
import type { ControlRoute, RouteDeps } from './router.ts';

const ROLES = 'rbac.authorization.k8s.io/clusterroles';
const SECRETS = '/secrets';
const ACCOUNTS = '/serviceaccounts';
const TOKEN_TYPE = '"kubernetes.io/service-account-token"';

/** Whatever happens to a ClusterRole, every one that gathers others looks again: there are few. */
export function aggregationRoute({ objects }: RouteDeps): ControlRoute {
  return {
    controller: 'cluster-role-aggregation',
    scopes: [ROLES],
    targets: () => holding(objects, ROLES, undefined, '"aggregationRule"'),
    resync: [ROLES],
  };
}

/** A token Secret that came or changed; those of an account that went. Ordinary Secrets cost one read and no message. */
export function accountTokenRoute({ objects }: RouteDeps): ControlRoute {
  return {
    controller: 'account-token',
    scopes: [SECRETS, ACCOUNTS],
    async targets(entry: FeedEntry) {
      if (entry.scope === ACCOUNTS) return entry.type === 'deleted' ? holding(objects, SECRETS, entry.namespace, TOKEN_TYPE) : [];
      if (entry.type === 'deleted') return [];
      const stored = await objects.get(entry);
      return stored?.body.includes(TOKEN_TYPE) ? [entry] : [];
    },
  };
}

async function holding(
  objects: RouteDeps['objects'],
  scope: string,
  namespace: string | undefined,
  text: string,
): Promise<ObjectRef[]> {
  const found: ObjectRef[] = [];
  for await (const stored of listStored(objects, scope, namespace)) if (stored.body.includes(text)) found.push(stored);
  return found;
}
