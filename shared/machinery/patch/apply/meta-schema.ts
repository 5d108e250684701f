/** The structure of `metadata`, for kinds whose own schema leaves it open (custom resources do: the server adds it). */
import type { ListSchema, MapSchema, ObjectSchema, ScalarSchema, Schema } from '../../schema/schema.ts';
import { UNSTRUCTURED } from './shape.ts';

const NODE = { definition: '', nullable: false } as const;
const TEXT: ScalarSchema = { ...NODE, kind: 'scalar', scalar: 'string', format: '' };
const NUMBER: ScalarSchema = { ...NODE, kind: 'scalar', scalar: 'integer', format: 'int64' };
const TIME: ScalarSchema = { ...NODE, kind: 'scalar', scalar: 'string', format: 'date-time' };
const FLAG: ScalarSchema = { ...NODE, kind: 'scalar', scalar: 'boolean', format: '' };
const TEXTS: MapSchema = { ...NODE, kind: 'map', values: TEXT, atomic: false };

function struct(properties: Readonly<Record<string, Schema>>, atomic: boolean): ObjectSchema {
  return {
    ...NODE,
    kind: 'object',
    properties: new Map(Object.entries(properties)),
    required: [],
    preserveUnknown: false,
    atomic,
    embedded: false,
  };
}

function list(items: Schema, listType: ListSchema['listType'], listKeys: readonly string[]): ListSchema {
  return { ...NODE, kind: 'list', items, listType, listKeys };
}

const OWNER = struct({ apiVersion: TEXT, kind: TEXT, name: TEXT, uid: TEXT, controller: FLAG, blockOwnerDeletion: FLAG }, true);

const OBJECT_META = struct(
  {
    name: TEXT,
    generateName: TEXT,
    namespace: TEXT,
    selfLink: TEXT,
    uid: TEXT,
    resourceVersion: TEXT,
    generation: NUMBER,
    creationTimestamp: TIME,
    deletionTimestamp: TIME,
    deletionGracePeriodSeconds: NUMBER,
    labels: TEXTS,
    annotations: TEXTS,
    ownerReferences: list(OWNER, 'map', ['uid']),
    finalizers: list(TEXT, 'set', []),
    managedFields: list(UNSTRUCTURED, 'atomic', []),
  },
  false,
);

/** The schema of a whole object: its own, with `metadata` as every object has it. A kind without structure is deduced throughout. */
export function objectSchema(schema: ObjectSchema | undefined): Schema {
  if (schema === undefined) return UNSTRUCTURED;
  const metadata = schema.properties.get('metadata');
  if (metadata?.kind === 'object' && metadata.properties.has('labels')) return schema;
  return {
    ...schema,
    properties: new Map([['apiVersion', TEXT], ['kind', TEXT], ...schema.properties, ['metadata', OBJECT_META]]),
  };
}
