/** EndpointSlices for Endpoints that somebody wrote by hand, so that who reads slices alone finds them (pkg/controller/endpointslicemirroring). */
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { canonicalJson } from '../../../shared/machinery/canonical.ts';
import type { JsonObject, KubeObject } from '../../../shared/machinery/object.ts';
import type { Loaded } from '../../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import { ADDRESSES_MAX, MANAGED_BY, SERVICE_NAME } from './endpoint-plan.ts';
import { selectorOf } from './endpoints.ts';
import { loadMatching, ownerReference } from './read.ts';
import { create, remove, update } from './write.ts';

const SLICES = 'discovery.k8s.io/endpointslices';
const MIRRORING = 'endpointslicemirroring-controller.k8s.io';
const SKIP = 'endpointslice.kubernetes.io/skip-mirror';
const LEADER = 'control-plane.alpha.kubernetes.io/leader';
const NOT_COPIED = new Set([
  'endpoints.kubernetes.io/last-change-trigger-time',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

type Plan = { key: string; addressType: string; ports: JsonObject[]; endpoints: JsonObject[] };
type Address = { ip: string; hostname?: string; nodeName?: string; targetRef?: JsonObject };

/** `object` is the Endpoints object, which may be gone. */
export async function reconcileMirror(deps: ControlDeps, { namespace, name }: ObjectRef): Promise<ReconcileResult> {
  const present = await loadMatching(deps, SLICES, namespace, { [SERVICE_NAME]: name, [MANAGED_BY]: MIRRORING });
  const endpoints = (await deps.reader.get({ scope: '/endpoints', namespace, name }))?.object;
  const service = (await deps.reader.get({ scope: '/services', namespace, name }))?.object;
  const isMirrored = endpoints && service && !selectorOf(service) && isWanted(endpoints);
  const written = isMirrored ? await writeAll(deps, endpoints, present) : await dropAll(deps, present);
  return written.every(Boolean)
    ? done(isMirrored ? 'mirrored' : 'not mirrored')
    : requeueAfter(WRITE_RETRY_MS, 'a slice changed');
}

function isWanted({ metadata }: KubeObject): boolean {
  const { labels = {}, annotations = {}, deletionTimestamp } = metadata;
  return labels[SKIP] !== 'true' && annotations[LEADER] === undefined && deletionTimestamp === undefined;
}

async function dropAll(deps: ControlDeps, slices: readonly Loaded[]): Promise<boolean[]> {
  const dropped: boolean[] = [];
  for (const slice of slices) dropped.push(await remove(deps, slice));
  return dropped;
}

async function writeAll(deps: ControlDeps, endpoints: KubeObject, present: readonly Loaded[]): Promise<boolean[]> {
  const spare = [...present];
  const written: boolean[] = [];
  for (const plan of planMirror(endpoints)) {
    const at = spare.findIndex(({ object }) => keyOf(object.addressType, object.ports ?? []) === plan.key);
    const [slice] = at < 0 ? [] : spare.splice(at, 1);
    const wanted = sliceOf(deps, endpoints, plan, slice?.object);
    written.push(await (slice ? update(deps, slice, wanted) : create(deps, SLICES, wanted)));
  }
  return [...written, ...(await dropAll(deps, spare))];
}

const keyOf = (addressType: string, ports: JsonObject[]): string => `${addressType} ${canonicalJson(ports)}`;

/** One slice per set of ports and family. Pure. */
export function planMirror({ subsets = [] }: KubeObject): Plan[] {
  const plans = new Map<string, Plan>();
  for (const subset of subsets) {
    const ports = (subset.ports ?? []).map((port: JsonObject) => ({ name: '', protocol: 'TCP', ...port }));
    for (const [addresses, ready] of [
      [subset.addresses ?? [], true],
      [subset.notReadyAddresses ?? [], false],
    ] as [Address[], boolean][])
      for (const { ip, hostname, nodeName, targetRef } of addresses) {
        const addressType = ip.includes(':') ? 'IPv6' : 'IPv4';
        const key = keyOf(addressType, ports);
        const plan: Plan = plans.get(key) ?? { key, addressType, ports, endpoints: [] };
        plans.set(key, plan);
        if (plan.endpoints.length >= ADDRESSES_MAX) continue;
        plan.endpoints.push({
          addresses: [ip],
          conditions: { ready },
          ...(hostname ? { hostname } : {}),
          ...(targetRef ? { targetRef } : {}),
          ...(nodeName ? { nodeName } : {}),
        });
      }
  }
  return [...plans.values()];
}

function sliceOf(deps: ControlDeps, endpoints: KubeObject, plan: Plan, present: KubeObject | undefined): KubeObject {
  const { name = '', namespace = '', labels = {}, annotations = {} } = endpoints.metadata;
  const copied = Object.fromEntries(Object.entries(annotations).filter(([key]) => !NOT_COPIED.has(key)));
  return {
    ...present,
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      ...(present?.metadata ?? { generateName: `${name}-`, name: `${name}-${deps.ids.suffix()}`, namespace }),
      labels: { ...labels, [SERVICE_NAME]: name, [MANAGED_BY]: MIRRORING },
      annotations: copied,
      ownerReferences: [ownerReference({ ...endpoints, apiVersion: 'v1', kind: 'Endpoints' })],
    },
    addressType: plan.addressType,
    endpoints: plan.endpoints,
    ports: plan.ports,
  };
}
