/** How a kind is declared: only what differs from the usual. The usual values live here, once. */
import type { JsonObject, KubeObject } from '../machinery/object.ts';
import type { ObjectSchema } from '../machinery/schema/schema.ts';
import type { ResourceDefinition, Verb } from './definition.ts';
import { plainColumns } from './printing/columns.ts';

/** The names of a resource: what discovery says of it. */
export type ResourceNames = Pick<ResourceDefinition, 'group' | 'version' | 'kind' | 'plural' | 'namespaced'> &
  Partial<
    Pick<
      ResourceDefinition,
      'listKind' | 'singular' | 'shortNames' | 'categories' | 'verbs' | 'subresources' | 'storageVersionHash'
    >
  > & {
    status: boolean;
    builtIn: boolean;
    schema: () => ObjectSchema | undefined;
  };

/** What a kind may say of itself beyond its names. */
export type KindDeclaration = Partial<
  Pick<
    ResourceDefinition,
    | 'storedAs'
    | 'conversion'
    | 'scale'
    | 'statusOnCreate'
    | 'generation'
    | 'selectableFields'
    | 'columns'
    | 'unconditionalUpdate'
    | 'createOnUpdate'
    | 'defaultDeletion'
    | 'deleteReturnsObject'
    | 'gracePeriodSeconds'
    | 'nameRule'
    | 'strategy'
    | 'openApiSchema'
    | 'custom'
    | 'deprecation'
  >
>;

/** Declarations of one group-version, by plural name. */
export type KindDeclarations = Readonly<Record<string, KindDeclaration>>;

/** Every verb of a stored resource, as discovery orders them. */
export const ALL_VERBS: readonly Verb[] = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

/** Paths behind `/scale` that every scalable built-in kind shares. */
export const REPLICA_PATHS = {
  specReplicas: 'spec.replicas',
  statusReplicas: 'status.replicas',
  labelSelector: 'spec.selector',
} as const;

/** Completes a declaration: subdomain names, no generation, background deletion, columns Name and Created At. */
export function defineResource(names: ResourceNames, declaration: KindDeclaration = {}): ResourceDefinition {
  const verbs = names.verbs ?? ALL_VERBS;
  return {
    listKind: `${names.kind}List`,
    singular: names.kind.toLowerCase(),
    shortNames: [],
    categories: [],
    subresources: [],
    storageVersionHash: '',
    ...names,
    verbs,
    virtual: verbs.length === 1 && verbs[0] === 'create',
    generation: false,
    selectableFields: new Map(),
    columns: plainColumns(),
    unconditionalUpdate: false,
    createOnUpdate: false,
    defaultDeletion: 'Background',
    deleteReturnsObject: false,
    nameRule: 'subdomain',
    strategy: {},
    ...declaration,
  };
}

/** A readable member of an object as text; '' when it is absent. What field selectors compare. */
export function textAt(...path: readonly string[]): (object: KubeObject) => string {
  return (object) => {
    let value: unknown = object;
    for (const key of path) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
      value = (value as JsonObject)[key];
    }
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  };
}
