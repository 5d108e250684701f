/**
 * Endpoints and EndpointSlices of a Service with a selector. Not of one that is placed on member clusters: its pods run there, and every member keeps its own.
 */
import type { ObjectRef } from '../../../shared/apis/stored.ts';
import { deepEqual } from '../../../shared/machinery/equality.ts';
import type { JsonValue, KubeObject } from '../../../shared/machinery/object.ts';
import type { Loaded } from '../../../shared/runtime/objects.ts';
import { done, type ReconcileResult, requeueAfter } from '../../../shared/runtime/reconcile.ts';
import { WRITE_RETRY_MS } from '../limits.ts';
import type { ControlDeps } from './controller.ts';
import {
  ENDPOINTS_MANAGED_BY,
  MANAGED_BY,
  planEndpoints,
  planSlices,
  SERVICE_NAME,
  SLICE_CONTROLLER,
  type SlicePlan,
  sliceLabels,
} from './endpoint-plan.ts';
import { isPlaced } from './placed.ts';
import { loadMatching, ownerReference } from './read.ts';
import { create, livingNamespace, remove, update } from './write.ts';

const ENDPOINTS = '/endpoints';
const SLICES = 'discovery.k8s.io/endpointslices';

/** `object` is the Service, which may be gone. */
export async function reconcileEndpoints(deps: ControlDeps, { scope, namespace, name }: ObjectRef): Promise<ReconcileResult> {
  const service = await deps.reader.get({ scope, namespace, name });
  const slices = await ownSlices(deps, namespace, name);
  if (!service || service.object.metadata.deletionTimestamp || !(await livingNamespace(deps, namespace)))
    return finished([...(await dropAll(deps, slices)), await dropEndpoints(deps, namespace, name)], 'no such Service');
  const selector = selectorOf(service.object);
  if (await isPlaced(deps, service.object))
    return finished(
      [...(await dropAll(deps, slices)), await dropOwnEndpoints(deps, namespace, name)],
      'members make its endpoints',
    );
  if (!selector) return finished(await dropAll(deps, slices), 'its endpoints are somebody else’s');
  const pods = (await loadMatching(deps, '/pods', namespace, selector)).map(({ object }) => object);
  const written = [...(await writeSlices(deps, service.object, pods, slices)), await writeEndpoints(deps, service.object, pods)];
  return finished(written, `${pods.length} pods`);
}

/** A Service that selects nothing has its endpoints from elsewhere. */
export function selectorOf({ spec }: KubeObject): Record<string, string> | undefined {
  const selector: Record<string, string> | undefined = spec?.selector;
  const selects = selector && Object.keys(selector).length > 0 && spec.type !== 'ExternalName';
  return selects ? selector : undefined;
}

function finished(written: readonly boolean[], summary: string): ReconcileResult {
  return written.every(Boolean) ? done(summary) : requeueAfter(WRITE_RETRY_MS, 'an object changed meanwhile');
}

function ownSlices(deps: ControlDeps, namespace: string, name: string): Promise<Loaded[]> {
  return loadMatching(deps, SLICES, namespace, { [SERVICE_NAME]: name, [MANAGED_BY]: SLICE_CONTROLLER });
}

async function dropAll(deps: ControlDeps, slices: readonly Loaded[]): Promise<boolean[]> {
  const dropped: boolean[] = [];
  for (const slice of slices) dropped.push(await remove(deps, slice));
  return dropped;
}

/** With its Service goes what bears its name, ours or not: so it is upstream. */
async function dropEndpoints(deps: ControlDeps, namespace: string, name: string): Promise<boolean> {
  const present = await deps.reader.get({ scope: ENDPOINTS, namespace, name });
  return !present || remove(deps, present);
}

/** Those that were made before the Service was placed. */
async function dropOwnEndpoints(deps: ControlDeps, namespace: string, name: string): Promise<boolean> {
  const present = await deps.reader.get({ scope: ENDPOINTS, namespace, name });
  return present?.object.metadata.labels?.[ENDPOINTS_MANAGED_BY] === undefined || remove(deps, present);
}

/** Present slices are filled anew, in order of their names; what is too many goes, what is missing is made. */
async function writeSlices(
  deps: ControlDeps,
  service: KubeObject,
  pods: readonly KubeObject[],
  present: readonly Loaded[],
): Promise<boolean[]> {
  const zones = await zonesOf(deps, pods);
  const spare = [...present];
  const written: boolean[] = [];
  const labels = sliceLabels(service);
  const plans = planSlices(service, pods, (node) => zones.get(node));
  for (const plan of plans) {
    const at = bestOf(spare, plan);
    const [slice] = at < 0 ? [] : spare.splice(at, 1);
    written.push(await (slice ? fill(deps, slice, plan, labels) : create(deps, SLICES, newSlice(deps, service, plan, labels))));
  }
  return [...written, ...(await dropAll(deps, spare))];
}

/** A slice of the same family; one with the same ports before another. */
function bestOf(slices: readonly Loaded[], plan: SlicePlan): number {
  const same = slices.findIndex(
    ({ object }) => object.addressType === plan.addressType && deepEqual(object.ports ?? [], plan.ports as unknown as JsonValue),
  );
  return same >= 0 ? same : slices.findIndex(({ object }) => object.addressType === plan.addressType);
}

function fill(deps: ControlDeps, slice: Loaded, plan: SlicePlan, labels: Record<string, string>): Promise<boolean> {
  const { object } = slice;
  return update(deps, slice, {
    ...object,
    metadata: { ...object.metadata, labels },
    endpoints: plan.endpoints,
    ports: plan.ports,
  });
}

function newSlice(deps: ControlDeps, service: KubeObject, plan: SlicePlan, labels: Record<string, string>): KubeObject {
  const { name = '', namespace = '' } = service.metadata;
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      name: `${name}-${deps.ids.suffix()}`,
      namespace,
      labels,
      ownerReferences: [ownerReference(service)],
    },
    addressType: plan.addressType,
    endpoints: plan.endpoints,
    ports: plan.ports,
  };
}

async function zonesOf(deps: ControlDeps, pods: readonly KubeObject[]): Promise<ReadonlyMap<string, string>> {
  const zones = new Map<string, string>();
  for (const node of new Set(pods.map(({ spec }) => spec?.nodeName).filter((name) => typeof name === 'string'))) {
    const zone = (await deps.objects.get({ scope: '/nodes', namespace: '', name: node }))?.labels['topology.kubernetes.io/zone'];
    if (zone) zones.set(node, zone);
  }
  return zones;
}

async function writeEndpoints(deps: ControlDeps, service: KubeObject, pods: readonly KubeObject[]): Promise<boolean> {
  const { name = '', namespace = '' } = service.metadata;
  const present = await deps.reader.get({ scope: ENDPOINTS, namespace, name });
  const { labels, annotations, subsets } = planEndpoints(service, pods, present?.object.metadata.annotations ?? {});
  const type = { apiVersion: 'v1', kind: 'Endpoints' };
  if (!present) return create(deps, ENDPOINTS, { ...type, metadata: { name, namespace, labels, annotations }, subsets });
  const metadata = { ...present.object.metadata, labels, annotations };
  return update(deps, present, { ...present.object, metadata, subsets });
}
