/** The shape of every Kubernetes object, as plain JSON. Types only: values are validated at the edge, never here. */

/** A JSON value. `bigint` appears only for integers that a double cannot hold (codec/json.ts keeps them exact). */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. Parsed objects have a null or ordinary prototype; read with `Object.hasOwn` where keys come from users. */
export type JsonObject = { [key: string]: JsonValue | undefined };

/** `metadata.ownerReferences[]`. */
export type OwnerReference = {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

/** `metadata.managedFields[]`; `fieldsV1` is the tree of `f:`, `k:`, `v:`, `i:` keys. */
export type ManagedFieldsEntry = {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: 'FieldsV1';
  fieldsV1?: JsonObject;
  subresource?: string;
};

/** `metadata` of any object. Times are RFC 3339 in UTC, seconds; `resourceVersion` is a decimal string. */
export type ObjectMeta = {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
};

/** Any Kubernetes object. Everything beside the three known members is plain JSON. */
export type KubeObject = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  // biome-ignore lint/suspicious/noExplicitAny: the one place where a kind's own fields are opened; readers narrow what they read
  [field: string]: any;
};

/** One entry of `status.conditions`. */
export type Condition = {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
  lastUpdateTime?: string;
  lastProbeTime?: string;
  observedGeneration?: number;
};
