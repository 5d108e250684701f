/** Names that are made from other names. Behaviour copied from KubeAdmiral: what does not fit is cut and gets a decimal FNV-1 of the whole. */
import { fnv1_32 } from '../machinery/fnv.ts';

const OBJECT_NAME_BYTES_MAX = 253;
const LABEL_VALUE_BYTES_MAX = 63;
/** Decimal digits of the largest 32-bit hash. */
const HASH_DIGITS_MAX = 10;
/** What is surely left of a name's front when it was cut: the rest is `-` and a hash. */
const CUT_PREFIX_LENGTH = OBJECT_NAME_BYTES_MAX - HASH_DIGITS_MAX - 1;

/** Name of the (Cluster)FederatedObject of a source: `web-deployments.apps`. */
export function federatedObjectName(sourceName: string, ftcName: string): string {
  const transformed = sourceName
    .toLowerCase()
    .replace(/[^a-z0-9.-]/g, '.')
    .replace(/\.{2,}/g, '.');
  const name = `${transformed}-${ftcName}`;
  return limited(transformed === sourceName ? name : `${name}-${fnv1_32(sourceName)}`, OBJECT_NAME_BYTES_MAX);
}

/** Name of the host's copy of a member's EndpointSlice. */
export function importedEndpointSliceName(endpointSlice: string, cluster: string): string {
  return limited(`imported-${cluster}-${endpointSlice}`, OBJECT_NAME_BYTES_MAX);
}

/** Name of the FederatedObject of a Service that is derived from a ServiceImport. */
export function derivedServiceFederatedObjectName(service: string): string {
  return limited(`derived-${service}-services`, OBJECT_NAME_BYTES_MAX);
}

/** A cluster's name as a label value. */
export function sourceClusterLabelValue(cluster: string): string {
  return limited(cluster, LABEL_VALUE_BYTES_MAX);
}

/** Name of an object of one cluster in a view over all clusters: `<cluster>-<name>`. */
export function aggregatedName(cluster: string, name: string): string {
  return limited(`${cluster}-${name}`, OBJECT_NAME_BYTES_MAX);
}

/** Clusters whose objects may stand behind an aggregated name; several when the name was cut inside the cluster's own. */
export function possibleClusters(clusters: readonly string[], aggregated: string): string[] {
  const mayBeCut = aggregated.length > CUT_PREFIX_LENGTH + 1;
  return clusters.filter((cluster) => {
    const prefix = `${cluster}-`;
    return aggregated.startsWith(mayBeCut ? prefix.slice(0, CUT_PREFIX_LENGTH) : prefix);
  });
}

/** The name, or as much of its front as leaves room for `-` and the hash of the whole. */
export function limited(name: string, lengthMax: number): string {
  if (name.length <= lengthMax) return name;
  const hash = String(fnv1_32(name));
  return `${name.slice(0, lengthMax - hash.length - 1)}-${hash}`;
}
