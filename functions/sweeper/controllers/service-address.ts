/** IPAddress objects of Services, and the state of ServiceCIDRs (pkg/controller/servicecidrs, pkg/registry/core/service/ipallocator). */
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import type { Condition, KubeObject } from '../../../shared/machinery/object.ts';
import { formatTime } from '../../../shared/machinery/time.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { loadMatching } from './read.ts';
import { create, remove, update } from './write.ts';

const ADDRESSES = 'networking.k8s.io/ipaddresses';
const MANAGED = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };
const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

/** `object` is the Service, which may be gone: then its addresses go. */
export async function reconcileServiceAddress(deps: ControlDeps, ref: ObjectRef): Promise<ReconcileResult> {
  const service = (await deps.reader.get(ref))?.object;
  const ips = new Set(clusterIps(service));
  const written: boolean[] = [];
  for (const ip of ips)
    if (!(await deps.objects.get({ scope: ADDRESSES, namespace: '', name: nameOf(ip) })))
      written.push(await create(deps, ADDRESSES, addressOf(ip, ref)));
  for (const present of await loadMatching(deps, ADDRESSES, '', MANAGED)) {
    const { namespace, name } = present.object.spec?.parentRef ?? {};
    const isOurs = namespace === ref.namespace && name === ref.name;
    if (isOurs && ![...ips].some((ip) => nameOf(ip) === present.stored.name)) written.push(await remove(deps, present));
  }
  return written.every(Boolean) ? done(`${ips.size} addresses`) : requeueAfter(WRITE_RETRY_MS, 'an address changed');
}

function clusterIps(service: KubeObject | undefined): string[] {
  const { clusterIPs = [], type } = service?.spec ?? {};
  return type === 'ExternalName' ? [] : (clusterIPs as string[]).filter((ip) => ip !== '' && ip !== 'None');
}

/** IPv6 addresses stand in full: names of objects must be canonical. */
const nameOf = (ip: string): string => ip.toLowerCase();

function addressOf(ip: string, { namespace, name }: ObjectRef): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    metadata: {
      name: nameOf(ip),
      labels: { 'ipaddress.kubernetes.io/ip-family': ip.includes(':') ? 'IPv6' : 'IPv4', ...MANAGED },
    },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}

/** `object` is the ServiceCIDR: ready as soon as it is there; it may go when no address lies in it. */
export async function reconcileServiceCidr(deps: ControlDeps, ref: ObjectRef): Promise<ReconcileResult> {
  const loaded = await deps.reader.get(ref);
  if (!loaded) return done('gone');
  const { object } = loaded;
  const finalizers = object.metadata.finalizers ?? [];
  if (object.metadata.deletionTimestamp !== undefined) {
    const metadata = { ...object.metadata, finalizers: finalizers.filter((each) => each !== FINALIZER) };
    const isWritten = await update(deps, loaded, { ...object, metadata });
    return isWritten ? done('released') : requeueAfter(WRITE_RETRY_MS, 'changed meanwhile');
  }
  if (!finalizers.includes(FINALIZER)) {
    const metadata = { ...object.metadata, finalizers: [...finalizers, FINALIZER] };
    return (await update(deps, loaded, { ...object, metadata }))
      ? done('kept')
      : requeueAfter(WRITE_RETRY_MS, 'changed meanwhile');
  }
  const conditions: Condition[] = object.status?.conditions ?? [];
  if (conditions.some(({ type, status }) => type === 'Ready' && status === 'True')) return done('ready');
  const ready = {
    lastTransitionTime: formatTime(deps.clock.now()),
    message: 'Kubernetes Service CIDR is ready',
    reason: '',
    status: 'True',
    type: 'Ready',
  };
  const status = { ...object.status, conditions: [...conditions.filter(({ type }) => type !== 'Ready'), ready] };
  return (await update(deps, loaded, { ...object, status }, 'status')) ? done('ready') : requeueAfter(WRITE_RETRY_MS, 'changed');
}
