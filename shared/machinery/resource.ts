/** Names of kinds and resources: GroupVersionKind, GroupVersionResource, and the keys made of them. */

/** A kind in a version of a group; the core group is the empty string. */
export type GroupVersionKind = { group: string; version: string; kind: string };

/** A resource (lower-case plural) in a version of a group. */
export type GroupVersionResource = { group: string; version: string; resource: string };

/** A resource without its version: what authorization, errors and the store speak of. */
export type GroupResource = { group: string; resource: string };

/** One object, by resource and name; `namespace` is empty for cluster-scoped objects. */
export type ObjectKey = GroupResource & { namespace: string; name: string };

/** `apps/v1`, or `v1` for the core group. */
export function formatApiVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The inverse of `formatApiVersion`. A string with several slashes keeps the first part as the group. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return { group: '', version: apiVersion };
  return { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `deployments.apps`, or `pods` for the core group: the form of error messages and of FederatedTypeConfig names. */
export function formatGroupResource({ group, resource }: GroupResource): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** The store's name for all objects of one resource: `apps/deployments`, `/pods` for the core group. */
export function scopeOf({ group, resource }: GroupResource): string {
  return `${group}/${resource}`;
}

/** The inverse of `scopeOf`. */
export function parseScope(scope: string): GroupResource {
  const slash = scope.indexOf('/');
  return { group: scope.slice(0, slash), resource: scope.slice(slash + 1) };
}

/** `namespace/name`, or `name` for a cluster-scoped object. */
export function namespacedName({ namespace, name }: { namespace: string; name: string }): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}
