/** What a plan tells the user's own object: annotations that are copied back from the federated object. */

/** Result of a scheduling attempt, as KubeAdmiral writes it. */
export const SCHEDULING = 'kubeadmiral.io/scheduling';

type Annotations = Readonly<Record<string, string>>;

/** Makes one annotation of the source equal to the federated object's: added, changed or removed. `source` is not changed. */
export function feedbackAnnotation(
  key: string,
  source: Annotations,
  federated: Annotations,
): { needUpdate: boolean; annotations: Record<string, string> } {
  const wanted = Object.hasOwn(federated, key) ? federated[key] : undefined;
  const present = Object.hasOwn(source, key) ? source[key] : undefined;
  const { [key]: _old, ...others } = source;
  return {
    needUpdate: wanted !== present,
    annotations: wanted === undefined ? others : { ...others, [key]: wanted },
  };
}

/** The changes that make the source's copies equal: null removes; keys that are equal already are left out. */
export function feedbackChanges(
  keys: readonly string[],
  source: Annotations,
  federated: Annotations,
): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const key of keys) {
    const { needUpdate, annotations } = feedbackAnnotation(key, source, federated);
    if (needUpdate) changes[key] = annotations[key] ?? null;
  }
  return changes;
}
