/** Which controllers there are, and what wakes each. What they do: functions/sweeper/controllers. */
import { CRD_SCOPE } from '../../apis/custom/crd.ts';
import type { FeedEntry } from '../../ports/object-store.ts';
import { accountTokenRoute, aggregationRoute } from './access-routes.ts';
import { endpointRoutes } from './endpoint-routes.ts';
import { CONTROLLER_WRITER, type ControlRoute, type RouteDeps } from './router.ts';
import { disruptionRoute, quotaRoute, storageRoutes } from './usage-routes.ts';

const NAMESPACES = '/namespaces';
const POLICIES = 'admissionregistration.k8s.io/validatingadmissionpolicies';

/** Routes of every controller. A controller is added here and in functions/sweeper/controllers/all.ts. */
export function controlRoutes(deps: RouteDeps): ControlRoute[] {
  return [
    namespaceContent,
    ...endpointRoutes(deps),
    ...storageRoutes(deps),
    quotaRoute(deps),
    disruptionRoute(deps),
    ttl,
    definitions,
    aggregationRoute(deps),
    accountTokenRoute(deps),
    policyStatus,
  ];
}

/** ServiceAccount `default` and ConfigMap `kube-root-ca.crt` of every namespace. */
const namespaceContent: ControlRoute = {
  controller: 'namespace-content',
  scopes: [NAMESPACES, '/serviceaccounts', '/configmaps'],
  targets(entry) {
    if (entry.scope === NAMESPACES) return entry.type === 'added' ? [entry] : [];
    const isContent =
      entry.scope === '/serviceaccounts'
        ? entry.name === 'default' && entry.type === 'deleted'
        : entry.name === 'kube-root-ca.crt' && isForeign(entry);
    return isContent ? [{ scope: NAMESPACES, namespace: '', name: entry.namespace }] : [];
  },
  resync: [NAMESPACES],
};

/** Names and conditions of CustomResourceDefinitions, and what goes with them. A name that is free again is looked at whoever freed it. */
const definitions: ControlRoute = {
  controller: 'crd',
  scopes: [CRD_SCOPE],
  targets: (entry) => (entry.type === 'deleted' || entry.writer !== 'sweeper' ? [entry] : []),
  resync: [CRD_SCOPE],
};

/** Type checks of ValidatingAdmissionPolicies. */
const policyStatus: ControlRoute = {
  controller: 'policy-status',
  scopes: [POLICIES],
  targets: (entry) => (entry.type !== 'deleted' && isForeign(entry) ? [entry] : []),
  resync: [POLICIES],
};

/** Jobs that end; the controller itself waits until they are due. */
const ttl: ControlRoute = {
  controller: 'ttl',
  scopes: ['batch/jobs'],
  targets: (entry) => (entry.type === 'deleted' ? [] : [entry]),
  resync: ['batch/jobs'],
};

/** Not written by a controller of ours. */
function isForeign(entry: FeedEntry): boolean {
  return entry.writer !== CONTROLLER_WRITER;
}
