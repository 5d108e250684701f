/** Kinds that upstream still serves and warns of, in its words. */

const WARNINGS: ReadonlyMap<string, string> = new Map([
  ['/v1/endpoints', 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
  ['/v1/componentstatuses', 'v1 ComponentStatus is deprecated in v1.19+'],
]);

/** The text of the Warning header of every answer about a kind; undefined for nearly all. */
export function deprecationOf({
  group,
  version,
  plural,
}: {
  group: string;
  version: string;
  plural: string;
}): string | undefined {
  return WARNINGS.get(`${group}/${version}/${plural}`);
}
