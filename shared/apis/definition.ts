/**
 * What the registry knows of a kind. Built-in kinds, KubeAdmiral's kinds, our own and (later) CRDs all come through this one door:
 * the API server has no route or handler per kind, it reads these declarations.
 */
import type { JsonObject, KubeObject } from '../machinery/object.ts';
import type { ObjectSchema } from '../machinery/schema/schema.ts';
import type { CrdConversion } from './custom/crd.ts';

/** What a client may ask of a resource. */
export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

/** A field error as kube-apiserver words it; `type` is the cause reason without its `FieldValue` prefix. */
export type FieldError = {
  type: 'Invalid' | 'Required' | 'NotSupported' | 'Duplicate' | 'Forbidden' | 'NotFound' | 'TooLong' | 'TooMany' | 'TypeInvalid';
  field: string;
  /** The text after `field: `, e.g. `Invalid value: -1: must be greater than or equal to 0`. */
  detail: string;
};

/** A column of the Table form. `cell` reads the value; `priority` 1 shows only with `-o wide`. */
export type Column = {
  name: string;
  type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  format?: string;
  description?: string;
  priority: number;
  cell(object: KubeObject, now: number): string | number | boolean | null;
};

/** Paths (`spec.replicas`, dotted) behind `/scale`. */
export type ScalePaths = { specReplicas: string; statusReplicas: string; labelSelector: string };

/** How an object is created or changed: pure steps, each given values and returning a new value. `now` in epoch ms. */
export type Strategy = {
  /** Fills defaults; runs on create, update, patch and on read of old stored objects. Must be idempotent. May change `object` in place. */
  applyDefaults?(object: KubeObject): void;
  /** After defaults, on create: drops or sets what a creator may not decide. `status` is dropped generically where the subresource exists. */
  prepareForCreate?(object: KubeObject, now: number): void;
  prepareForUpdate?(object: KubeObject, old: KubeObject, now: number): void;
  validate?(object: KubeObject): FieldError[];
  validateUpdate?(object: KubeObject, old: KubeObject): FieldError[];
  /** Stands for both of the above on update, where set: custom resources are not refused for what was wrong before. */
  validateChange?(object: KubeObject, old: KubeObject, subresource: string): FieldError[];
  /** Text of Warning headers on create and update. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[];
};

/** The definition that a custom resource comes from, and how its objects lie in the store. */
export type CustomOrigin = {
  /** Name and uid of the CustomResourceDefinition. */
  crd: string;
  uid: string;
  /** The version that objects are written in. Objects that were written before it changed may lie in another one. */
  storageVersion: string;
  /** True: the definition never changed, so that every stored object of the storage version was pruned and defaulted by this schema. */
  pristine: boolean;
  /** In deletion: nothing is created any more. */
  terminating: boolean;
  /** How versions become one another. */
  conversion: CrdConversion;
  /** Selectable fields of the storage version: what is kept beside each stored object. */
  storedFields: ReadonlyMap<string, (object: KubeObject) => string>;
};

/** One resource in one version. */
export type ResourceDefinition = {
  group: string;
  version: string;
  kind: string;
  /** Kind of the list; `${kind}List` unless upstream differs. */
  listKind: string;
  plural: string;
  singular: string;
  shortNames: readonly string[];
  categories: readonly string[];
  namespaced: boolean;
  verbs: readonly Verb[];
  /** Not stored: a review, answered by a view (create only). */
  virtual: boolean;
  /** Other versions or groups of the same stored object (core Events and events.k8s.io Events): the scope that holds them. */
  storedAs?: { group: string; resource: string };
  /**
   * Set where objects are stored in another version or group (HPA v1 over v2, events.k8s.io over core Events): between this version and the
   * stored one. May change its argument and return it; apiVersion and kind are set by the caller. Absent: only apiVersion and kind differ.
   */
  conversion?: { toStored(object: KubeObject): KubeObject; fromStored(object: KubeObject): KubeObject };
  status: boolean;
  /** What the creator says of the status counts (nodes). */
  statusOnCreate?: boolean;
  scale?: ScalePaths;
  /** Subresources beside status and scale, by name, with the kind they answer and their verbs (`token`, `eviction`, `binding`, `finalize`, `log` ...). */
  subresources: readonly { name: string; group: string; version: string; kind: string; verbs: readonly string[] }[];
  /** True: metadata.generation is kept, counting changes outside metadata and status. */
  generation: boolean;
  /** Field selectors beside metadata.name and metadata.namespace: label -> value of an object ('' when absent). */
  selectableFields: ReadonlyMap<string, (object: KubeObject) => string>;
  columns: readonly Column[];
  /** PUT without resourceVersion is allowed. */
  unconditionalUpdate: boolean;
  /** PUT creates what is absent. */
  createOnUpdate: boolean;
  /** What DELETE does when no policy is given. */
  defaultDeletion: 'Background' | 'Orphan';
  /** DELETE answers with the object, not a Status. */
  deleteReturnsObject: boolean;
  /** Pods: deletion waits for the kubelet. Seconds the object asks for; undefined: nobody runs it, it goes at once whatever is asked. */
  gracePeriodSeconds?(object: KubeObject): number | undefined;
  nameRule: 'subdomain' | 'label' | 'label1035' | 'pathSegment' | 'labelOrGenerated';
  strategy: Strategy;
  /** Structure of the kind; undefined: no structure is known. Lazy: compiling is paid on first use. */
  schema(): ObjectSchema | undefined;
  /** The schema as its author wrote it (`openAPIV3Schema`), for the OpenAPI documents; undefined for kinds that are declared in code. */
  openApiSchema?(): JsonObject | undefined;
  /** Where the kind comes from a CustomResourceDefinition. */
  custom?: CustomOrigin;
  /** Text of the Warning header of every answer; undefined for nearly all. */
  deprecation?: string;
  /** False: custom resources. Strategic merge patch and protobuf are for built-in kinds only. */
  builtIn: boolean;
  /** Short hash in discovery; empty to leave it out. */
  storageVersionHash: string;
};

/** All kinds that are served. Immutable; a change makes a new registry (`with`), so that caches may key on identity. */
export type Registry = {
  all(): readonly ResourceDefinition[];
  byResource(group: string, version: string, resource: string): ResourceDefinition | undefined;
  byKind(group: string, version: string, kind: string): ResourceDefinition | undefined;
  /** The definition objects of a stored scope are written in. */
  byScope(scope: string): ResourceDefinition | undefined;
  groups(): readonly { group: string; versions: readonly string[]; preferred: string }[];
};
