/**
 * The structural type of a JSON value, as Kubernetes' OpenAPI documents describe it. One model serves strict decoding,
 * pruning, defaulting, strategic merge patch and server-side apply. Compiled once from documents by `compile.ts`.
 */
import type { JsonValue } from '../object.ts';

/** How a list merges under server-side apply (`x-kubernetes-list-type`). */
export type ListType = 'atomic' | 'set' | 'map';

/** `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`: what strategic merge patch does with a field. */
export type PatchStrategy = { merge: boolean; replace: boolean; retainKeys: boolean; mergeKey?: string };

/**
 * A node of the type tree. Recursive definitions are shared, so a schema may contain itself: walk it along a value, never alone.
 * `kind`:
 * - `object` a struct with `properties`; `map` string keys to `values`; `list` of `items`;
 * - `scalar` with `scalar` naming the JSON type; `any` for parts without structure (RawExtension, preserve-unknown-fields).
 */
export type Schema = ObjectSchema | MapSchema | ListSchema | ScalarSchema | AnySchema;

type Common = {
  /** Name of the OpenAPI definition this node came from (`io.k8s.api.apps.v1.DeploymentSpec`); empty for inline nodes. */
  definition: string;
  nullable: boolean;
  /** `default` of the document; undefined when there is none. */
  default?: JsonValue;
  /** Set on the field that holds this node, not on the shared definition. */
  patch?: PatchStrategy;
};
export type ObjectSchema = Common & {
  kind: 'object';
  properties: ReadonlyMap<string, Schema>;
  required: readonly string[];
  /** True: unknown members are kept (`x-kubernetes-preserve-unknown-fields`). */
  preserveUnknown: boolean;
  /** Schema of members that are not in `properties`, when the type is a struct and a map at once (CRDs). */
  additional?: Schema;
  /** `x-kubernetes-map-type: atomic`. */
  atomic: boolean;
  /** A whole Kubernetes object lies here: apiVersion, kind and metadata are known (`x-kubernetes-embedded-resource`). */
  embedded: boolean;
};
export type MapSchema = Common & { kind: 'map'; values: Schema; atomic: boolean; minProperties?: number; maxProperties?: number };
export type ListSchema = Common & {
  kind: 'list';
  items: Schema;
  listType: ListType;
  listKeys: readonly string[];
  minItems?: number;
  maxItems?: number;
};
export type ScalarSchema = Common & {
  kind: 'scalar';
  scalar: 'string' | 'integer' | 'number' | 'boolean' | 'intOrString' | 'quantity';
  format: string;
  enum?: readonly JsonValue[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  /** In characters (code points). */
  minLength?: number;
  maxLength?: number;
};
export type AnySchema = Common & { kind: 'any' };

/** Where a kind's schema is found. Undefined: a kind without structure (every part is then `any`, maps granular, lists atomic). */
export type SchemaSource = { schemaOf(gvk: { group: string; version: string; kind: string }): ObjectSchema | undefined };
