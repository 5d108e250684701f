/** A CustomResourceDefinition as its readers see it. Objects come validated from the store; what is missing reads as Go's zero value. */
import type { Condition, JsonObject, KubeObject } from '../../machinery/object.ts';

/** Where CustomResourceDefinitions lie. */
export const CRD_SCOPE = 'apiextensions.k8s.io/customresourcedefinitions';
/** Holds a definition in deletion until its instances are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** `spec.names` and `status.acceptedNames`. */
export type CrdNames = {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
};

export type CrdColumn = {
  name: string;
  type: string;
  format?: string;
  description?: string;
  priority?: number;
  jsonPath: string;
};

export type CrdScale = { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };

/** One of `spec.versions`. */
export type CrdVersion = {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: JsonObject };
  subresources?: { status?: JsonObject; scale?: CrdScale };
  additionalPrinterColumns?: CrdColumn[];
  selectableFields?: { jsonPath: string }[];
};

/** `clientConfig` of a webhook: where it is, and what it is trusted by (`caBundle`: base64 of PEM). */
export type WebhookClientConfig = {
  url?: string;
  service?: { namespace: string; name: string; path?: string; port?: number };
  caBundle?: string;
};

/** `spec.conversion`: None changes `apiVersion` alone. */
export type CrdConversion =
  | { strategy: 'None' }
  | { strategy: 'Webhook'; webhook: { clientConfig: WebhookClientConfig; conversionReviewVersions: string[] } };

export type CrdSpec = {
  group: string;
  names: CrdNames;
  scope: 'Namespaced' | 'Cluster';
  versions: CrdVersion[];
  conversion?: CrdConversion;
};

export type CrdStatus = { conditions?: Condition[] | null; acceptedNames?: CrdNames; storedVersions?: string[] };

/** Go shows a list that nobody gave as null. */
export function specOf(crd: KubeObject): CrdSpec {
  const spec = (crd.spec ?? {}) as CrdSpec;
  return Array.isArray(spec.versions) ? spec : { ...spec, versions: [] };
}

export const statusOf = (crd: KubeObject): CrdStatus => (crd.status ?? {}) as CrdStatus;

/** The condition of a type; undefined when it was never set. */
export function crdCondition(crd: KubeObject, type: string): Condition | undefined {
  return statusOf(crd).conditions?.find((condition) => condition.type === type);
}

/** Is the condition True? */
export function isCrdCondition(crd: KubeObject, type: string): boolean {
  return crdCondition(crd, type)?.status === 'True';
}

/** The version that objects are written in. Validation leaves exactly one. */
export function storageVersionOf(spec: CrdSpec): CrdVersion | undefined {
  return spec.versions.find((version) => version.storage);
}

/** `group/plural`: where the instances lie. */
export function instanceScope({ group, names }: CrdSpec): string {
  return `${group}/${names.plural}`;
}

const KUBE_VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/** Orders versions as upstream prefers them: v2, v1, v2beta1, v1alpha1, then all others by text. Negative: `a` comes first. */
export function compareVersions(a: string, b: string): number {
  const left = KUBE_VERSION.exec(a);
  const right = KUBE_VERSION.exec(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : Number(a > b);
  const stage = ({ 2: word }: RegExpExecArray) => (word === undefined ? 2 : word === 'beta' ? 1 : 0);
  return stage(right) - stage(left) || Number(right[1]) - Number(left[1]) || Number(right[3] ?? 0) - Number(left[3] ?? 0);
}
