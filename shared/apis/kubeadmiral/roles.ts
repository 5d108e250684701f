/** What the roles `view`, `edit` and `admin` may do with the federation's own kinds in a namespace: they gather these. */
import type { KubeObject } from '../../machinery/object.ts';
import { KUBEADMIRAL_GROUP } from './names.ts';

const READ = ['get', 'list', 'watch'];
const WRITE = ['create', 'delete', 'deletecollection', 'patch', 'update'];

/** Two ClusterRoles that the built-in ones gather. A fresh copy at each call. */
export function federationRoles(decisionGroup: string): KubeObject[] {
  const policies = ['overridepolicies', 'propagationpolicies'];
  return [
    role('view', [
      { apiGroups: [KUBEADMIRAL_GROUP], resources: ['collectedstatuses', ...policies, 'propagatedversions'], verbs: READ },
      { apiGroups: [decisionGroup], resources: ['schedulingdecisions'], verbs: READ },
    ]),
    role('edit', [
      { apiGroups: [KUBEADMIRAL_GROUP], resources: policies, verbs: WRITE },
      // A FederatedObject holds its template whole, a Secret's too: it is for those who may read Secrets.
      { apiGroups: [KUBEADMIRAL_GROUP], resources: ['federatedobjects'], verbs: READ },
    ]),
  ];
}

function role(into: 'view' | 'edit', rules: object[]): KubeObject {
  const labels = { [`rbac.authorization.k8s.io/aggregate-to-${into}`]: 'true' };
  const metadata = { name: `lamiral:aggregate-to-${into}`, labels };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata, rules };
}
