/** What every namespace holds from its first moment: ServiceAccount `default` and ConfigMap `kube-root-ca.crt`. Who deletes or changes them gets them back. */
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { create, livingNamespace, update } from './write.ts';

const ACCOUNTS = '/serviceaccounts';
const CONFIG_MAPS = '/configmaps';
const BUNDLE = 'kube-root-ca.crt';
const DESCRIPTION = 'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints.';

/** `object` is the namespace. */
export async function reconcileNamespaceContent(deps: ControlDeps, { name }: ObjectRef): Promise<ReconcileResult> {
  if (!(await livingNamespace(deps, name))) return done('the namespace is gone or going');
  const isWritten = [await ensureAccount(deps, name), await ensureBundle(deps, name)];
  return isWritten.every(Boolean) ? done('there') : requeueAfter(WRITE_RETRY_MS, 'an object changed meanwhile');
}

async function ensureAccount(deps: ControlDeps, namespace: string): Promise<boolean> {
  if (await deps.objects.get({ scope: ACCOUNTS, namespace, name: 'default' })) return true;
  return create(deps, ACCOUNTS, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
}

async function ensureBundle(deps: ControlDeps, namespace: string): Promise<boolean> {
  const data = { 'ca.crt': deps.caCert };
  const present = await deps.reader.get({ scope: CONFIG_MAPS, namespace, name: BUNDLE });
  if (!present) {
    const annotations = { 'kubernetes.io/description': DESCRIPTION };
    const metadata = { name: BUNDLE, namespace, annotations };
    return create(deps, CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
  }
  const { object } = present;
  const annotations = { ...object.metadata.annotations, 'kubernetes.io/description': DESCRIPTION };
  const { binaryData: _binary, ...rest } = object;
  const wanted: KubeObject = {
    ...rest,
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...object.metadata, annotations },
    data,
  };
  return update(deps, present, wanted);
}
