/** URL paths of the Kubernetes API. */
import type { GroupVersionResource } from '../../machinery/resource.ts';
import type { MemberRef } from '../../ports/member-client.ts';

/** `/apis/apps/v1/namespaces/default/deployments`, `/api/v1/nodes`. An empty namespace means all of them. */
export function collectionPath({ group, version, resource }: GroupVersionResource, namespace: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === '' ? `${root}/${resource}` : `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`;
}

/** The path of one object. Names are escaped: RBAC names may hold `:` and `/` never. */
export function objectPath(ref: MemberRef): string {
  return `${collectionPath(ref, ref.namespace)}/${encodeURIComponent(ref.name)}`;
}

/** A query string with its `?`; members that are undefined or empty are left out. */
export function queryString(parameters: Record<string, string | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined && value !== '') query.set(name, value);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
