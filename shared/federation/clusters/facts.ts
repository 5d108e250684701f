/** What scheduling reads of a FederatedCluster, taken out once per version of the object, so that a decision never parses anything. */
import { canonicalJson } from '../../machinery/canonical.ts';
import { fnv1_32 } from '../../machinery/fnv.ts';
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import { parseQuantity, quantityToMilli, quantityToNumber } from '../../machinery/quantity.ts';
import type { ClusterFacts, ResourceAmounts } from '../snapshot.ts';
import { MEMBER_UID_ANNOTATION } from './view.ts';

type Taint = ClusterFacts['taints'][number];
type ApiResource = { group?: string; version?: string; kind?: string };
type ClusterCondition = { type?: string; status?: string };

/** Reads a FederatedCluster. Parts that a broken object lacks or holds in another form count as absent. */
export function clusterFacts(cluster: KubeObject): ClusterFacts {
  const { metadata } = cluster;
  const labels = metadata.labels ?? {};
  const taints = (cluster.spec?.taints ?? []) as Taint[];
  const conditions = (cluster.status?.conditions ?? []) as ClusterCondition[];
  const resources = cluster.status?.resources ?? {};
  const apiResources = ((cluster.status?.apiResourceTypes ?? []) as ApiResource[]).map(
    ({ group, version, kind }) => `${group ?? ''}/${version ?? ''}/${kind ?? ''}`,
  );
  const memberUid = metadata.annotations?.[MEMBER_UID_ANNOTATION];
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    ...(memberUid ? { memberUid } : {}),
    resourceVersion: metadata.resourceVersion ?? '',
    labels,
    taints,
    joined: isTrue(conditions, 'Joined'),
    ready: isTrue(conditions, 'Ready'),
    terminating: metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null,
    allocatable: resourceAmounts(resources.allocatable),
    available: resourceAmounts(resources.available),
    apiResources: new Set(apiResources),
    hashes: {
      labels: fnv1_32(canonicalJson(labels)),
      taints: fnv1_32(taints.map(taintText).sort().join('\n')),
      apiResources: fnv1_32(apiResources.sort().join('\n')),
    },
  };
}

/** A ResourceList as numbers: cpu in millicores, the rest in the base unit, rounded up. Amounts that cannot be read are left out. */
export function resourceAmounts(list: unknown): ResourceAmounts {
  const amounts: ResourceAmounts = {};
  if (typeof list !== 'object' || list === null) return amounts;
  for (const [name, text] of Object.entries(list)) {
    const amount = readAmount(name, text);
    if (amount !== undefined) amounts[name] = amount;
  }
  return amounts;
}

function readAmount(name: string, text: unknown): number | undefined {
  if (typeof text !== 'string' && typeof text !== 'number') return undefined;
  try {
    const quantity = parseQuantity(String(text));
    return name === 'cpu' ? quantityToMilli(quantity) : quantityToNumber(quantity);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function isTrue(conditions: readonly ClusterCondition[], type: string): boolean {
  return conditions.some((condition) => condition.type === type && condition.status === 'True');
}

/** `timeAdded` is left out: when a taint came says nothing about who may run there. */
function taintText({ key, value, effect }: Taint): string {
  return canonicalJson([key, value ?? '', effect] as JsonValue);
}
