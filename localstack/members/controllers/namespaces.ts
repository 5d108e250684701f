/** What every namespace of a cluster holds from the start: ServiceAccount `default` and ConfigMap `kube-root-ca.crt`. */
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type ControllerContext, tolerateRace } from './context.ts';

/** Puts both into the namespace when they are missing. */
export async function reconcileNamespaceContent(context: ControllerContext, name: string, caCert: string): Promise<void> {
  const namespace = context.cache.get('namespaces', '', name);
  if (!namespace || namespace.metadata.deletionTimestamp) return;
  if (!context.cache.get('serviceaccounts', name, 'default')) {
    const account: KubeObject = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: name } };
    await tolerateRace(
      context.api.create(context.kinds('serviceaccounts'), account, { fieldManager: 'kube-controller-manager' }),
    );
  }
  if (!context.cache.get('configmaps', name, 'kube-root-ca.crt')) {
    const bundle: KubeObject = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: 'kube-root-ca.crt',
        namespace: name,
        annotations: {
          'kubernetes.io/description':
            'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints.',
        },
      },
      data: { 'ca.crt': caCert },
    };
    await tolerateRace(context.api.create(context.kinds('configmaps'), bundle, { fieldManager: 'kube-controller-manager' }));
  }
}
