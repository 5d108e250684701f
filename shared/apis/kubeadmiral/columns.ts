/** Printer columns of KubeAdmiral's kinds. Those of FederatedCluster go beyond upstream's: where, how much is free, at what price. */
import type { KubeObject } from '../../machinery/object.ts';
import { parseQuantity, type Quantity, quantityToMilli, quantityToNumber } from '../../machinery/quantity.ts';
import type { Column } from '../definition.ts';
import { ageOf, DATE_AGE, list, text, wide } from '../printing/columns.ts';

const GIBIBYTE = 1024 ** 3;

const conditionOf = (cluster: KubeObject, type: string) =>
  list(cluster.status?.conditions).find((condition) => condition?.type === type);

const conditionStatus = (cluster: KubeObject, type: string): string => conditionOf(cluster, type)?.status ?? '';

/** Pending (not joined yet), Running, Offline or Terminating: one word for a cluster's life. */
function phaseOf(cluster: KubeObject): string {
  if (cluster.metadata.deletionTimestamp) return 'Terminating';
  if (conditionStatus(cluster, 'Joined') !== 'True') return 'Pending';
  if (conditionStatus(cluster, 'Offline') === 'True' || conditionStatus(cluster, 'Ready') !== 'True') return 'Offline';
  return 'Running';
}

/** Label or annotation under any of the names. */
function marked(cluster: KubeObject, ...names: readonly string[]): string {
  const { labels = {}, annotations = {} } = cluster.metadata;
  for (const name of names) {
    const value = labels[name] ?? annotations[name];
    if (value !== undefined && value !== '') return value;
  }
  return '';
}

/** `free/all` of a resource, in the unit that `show` prints; empty before the first report. */
function freeOf(cluster: KubeObject, resource: string, show: (amount: Quantity) => string, unit = ''): string {
  const { available, allocatable } = cluster.status?.resources ?? {};
  const all = amountOf(allocatable?.[resource]);
  if (all === undefined) return '';
  const free = amountOf(available?.[resource]) ?? all;
  return `${show(free)}/${show(all)}${unit}`;
}

function amountOf(value: unknown): Quantity | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  try {
    return parseQuantity(String(value));
  } catch {
    return undefined;
  }
}

/** Whole cores and gibibytes, rounded down: free capacity is never overstated. */
const inCores = (amount: Quantity): string => String(Math.floor(quantityToMilli(amount) / 1000));
const inGibibytes = (amount: Quantity): string => String(Math.floor(quantityToNumber(amount) / GIBIBYTE));

/** Time since a probe last answered, or since the cluster was last looked at. */
function seenAgo(cluster: KubeObject, now: number): string {
  const probed = conditionOf(cluster, 'Ready')?.lastProbeTime;
  return probed ? ageOf(probed, now) : '';
}

/** FederatedCluster: READY JOINED AGE, wide: PHASE REGION NODES CPU-FREE MEM-FREE PRICE SEEN. */
export const CLUSTER_COLUMNS: readonly Column[] = [
  text('Ready', (cluster) => conditionStatus(cluster, 'Ready')),
  text('Joined', (cluster) => conditionStatus(cluster, 'Joined')),
  DATE_AGE,
  wide(text('Phase', phaseOf)),
  wide(text('Region', (cluster) => marked(cluster, 'topology.kubernetes.io/region', 'lamiral.dev/region', 'region'))),
  wide(text('Nodes', (cluster) => String(cluster.status?.resources?.schedulableNodes ?? ''))),
  wide(text('CPU Free', (cluster) => freeOf(cluster, 'cpu', inCores))),
  wide(text('Mem Free', (cluster) => freeOf(cluster, 'memory', inGibibytes, 'Gi'))),
  wide(text('Price', (cluster) => marked(cluster, 'lamiral.dev/price', 'lamiral.dev/price-per-cpu-hour'))),
  wide(text('Seen', seenAgo)),
];

/** ServiceImport: TYPE IP AGE. */
export const SERVICE_IMPORT_COLUMNS: readonly Column[] = [
  text('Type', (service) => service.spec?.type ?? ''),
  text('IP', (service) => (service.spec?.ips ? JSON.stringify(service.spec.ips) : '')),
  DATE_AGE,
];
