/**
 * Turns OpenAPI documents into the type tree of `schema.ts`. Documents of built-in kinds (`components.schemas` of v3, `definitions`
 * of v2) are compiled by definition on first use; an inline `openAPIV3Schema` (custom resources, our own kinds) is compiled whole.
 */
import type { JsonObject, JsonValue } from '../object.ts';
import type { AnySchema, ListSchema, ListType, MapSchema, ObjectSchema, PatchStrategy, ScalarSchema, Schema } from './schema.ts';

/** Compiled types. `kind` finds an object type by `x-kubernetes-group-version-kind`. */
export type SchemaSet = {
  definition(name: string): Schema | undefined;
  kind(group: string, version: string, kind: string): ObjectSchema | undefined;
};

type Resolve = (reference: string) => Schema;
/**
 * `emptyObjects`: a built-in `type: object` without members is opaque (RawExtension, FieldsV1); in a custom resource it has no members.
 * `objectMeta`: the type of `metadata` of custom and embedded resources, whose own documents say only `type: object`.
 */
type Context = { resolve: Resolve; emptyObjects: 'opaque' | 'empty'; objectMeta?: Schema };

const ANY: AnySchema = { kind: 'any', definition: '', nullable: true };
/** Definitions whose OpenAPI form does not say what they are. */
const SPECIAL_SCALARS: ReadonlyMap<string, ScalarSchema['scalar']> = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'quantity'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'intOrString'],
]);

/** Compiles lazily: a definition costs on first use, with everything it reaches. The documents must not be changed afterwards. */
export function compileSchemas(definitions: Record<string, JsonObject>): SchemaSet {
  const compiled = new Map<string, Schema>();
  let namesByKind: ReadonlyMap<string, string> | undefined;
  const context: Context = { resolve: (reference) => definition(nameOf(reference)) ?? ANY, emptyObjects: 'opaque' };

  function definition(name: string): Schema | undefined {
    const known = compiled.get(name);
    if (known) return known;
    const document = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
    if (!document) return undefined;
    // Registered before its members are compiled: types may contain themselves.
    return compileNode(document, name, context, (schema) => compiled.set(name, schema));
  }

  function kind(group: string, version: string, kindName: string): ObjectSchema | undefined {
    namesByKind ??= indexKinds(definitions);
    const name = namesByKind.get(`${group}/${version}/${kindName}`);
    const schema = name === undefined ? undefined : definition(name);
    return schema?.kind === 'object' ? schema : undefined;
  }

  return { definition, kind };
}

/**
 * Compiles one self-contained schema (`openAPIV3Schema`): no references, all extensions of structural schemas. With `objectMeta` (the
 * compiled `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`) the root and embedded resources get apiVersion, kind and typed metadata.
 */
export function compileInline(schema: JsonObject, objectMeta?: Schema): Schema {
  const context: Context = { resolve: () => ANY, emptyObjects: 'empty', ...(objectMeta ? { objectMeta } : {}) };
  const compiled = compileNode(schema, '', context, () => undefined);
  return objectMeta && compiled.kind === 'object' ? asResource(compiled, objectMeta) : compiled;
}

function compileNode(document: JsonObject, name: string, context: Context, register: (schema: Schema) => unknown): Schema {
  const reference = referenceOf(document);
  if (reference !== undefined) return compileReference(document, reference, context, register);
  const special = SPECIAL_SCALARS.get(name);
  const type = document.type;
  if (special || document['x-kubernetes-int-or-string'] === true || isScalarType(type) || document.format === 'int-or-string') {
    return registered(compileScalar(document, name, special), register);
  }
  if (type === 'array') return registered(compileList(document, name, context), register);
  if (type === 'object' || isObject(document.properties)) return compileObject(document, name, context, register);
  return registered({ ...common(document, name), kind: 'any' }, register);
}

/** A field of a named type: the type's own node, or a copy of it where the field adds a default, nullability or a patch strategy. */
function compileReference(
  document: JsonObject,
  reference: string,
  context: Context,
  register: (schema: Schema) => unknown,
): Schema {
  const target = context.resolve(reference);
  const { nullable, default: fallback, patch } = common(document, '');
  const additions = {
    ...(nullable ? { nullable } : {}),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(patch === undefined ? {} : { patch }),
  };
  const atomic =
    (target.kind === 'object' || target.kind === 'map') && document['x-kubernetes-map-type'] === 'atomic' ? { atomic: true } : {};
  if (Object.keys(additions).length + Object.keys(atomic).length === 0) return registered(target, register);
  return registered({ ...target, ...additions, ...atomic } as Schema, register);
}

function compileObject(document: JsonObject, name: string, context: Context, register: (schema: Schema) => unknown): Schema {
  const members = document.properties;
  const additional = document.additionalProperties;
  const atomic = document['x-kubernetes-map-type'] === 'atomic';
  const preserveUnknown = document['x-kubernetes-preserve-unknown-fields'] === true || additional === true;
  const embedded = document['x-kubernetes-embedded-resource'] === true;
  if (!isObject(members)) {
    if (isObject(additional)) {
      const bounds = { ...bound(document, 'minProperties'), ...bound(document, 'maxProperties') };
      const schema: MapSchema = { ...common(document, name), kind: 'map', values: child(additional, context), atomic, ...bounds };
      return registered(schema, register);
    }
    if (context.emptyObjects === 'opaque') return registered({ ...common(document, name), kind: 'any' }, register);
  }
  const properties = new Map<string, Schema>();
  const schema: ObjectSchema = {
    ...common(document, name),
    kind: 'object',
    properties,
    required: strings(document.required),
    preserveUnknown,
    atomic,
    embedded,
    ...(isObject(members) && isObject(additional) ? { additional: child(additional, context) } : {}),
  };
  register(schema);
  for (const [member, value] of Object.entries(isObject(members) ? members : {})) {
    if (isObject(value)) properties.set(member, child(value, context));
  }
  return embedded && context.objectMeta ? asResource(schema, context.objectMeta) : schema;
}

/** The same object type, known to be a whole Kubernetes object. */
function asResource(schema: ObjectSchema, objectMeta: Schema): ObjectSchema {
  const text: ScalarSchema = { kind: 'scalar', scalar: 'string', format: '', definition: '', nullable: false };
  const properties = new Map<string, Schema>([
    ['apiVersion', text],
    ['kind', text],
    ...schema.properties,
    ['metadata', objectMeta],
  ]);
  return { ...schema, properties };
}

function compileList(document: JsonObject, name: string, context: Context): ListSchema {
  const items = document.items;
  return {
    ...common(document, name),
    kind: 'list',
    items: isObject(items) ? child(items, context) : ANY,
    listType: listTypeOf(document),
    listKeys: listKeysOf(document),
    ...bound(document, 'minItems'),
    ...bound(document, 'maxItems'),
  };
}

function compileScalar(document: JsonObject, name: string, special: ScalarSchema['scalar'] | undefined): ScalarSchema {
  const { type, format, enum: allowed, pattern } = document;
  const intOrString = document['x-kubernetes-int-or-string'] === true || format === 'int-or-string';
  const plain = isScalarType(type) ? type : 'string';
  return {
    ...common(document, name),
    kind: 'scalar',
    scalar: special ?? (intOrString ? 'intOrString' : plain),
    format: typeof format === 'string' ? format : '',
    ...(Array.isArray(allowed) ? { enum: allowed } : {}),
    ...(typeof pattern === 'string' ? { pattern } : {}),
    ...bound(document, 'minimum'),
    ...bound(document, 'maximum'),
    ...bound(document, 'minLength'),
    ...bound(document, 'maxLength'),
  };
}

function common(
  document: JsonObject,
  definition: string,
): { definition: string; nullable: boolean; default?: JsonValue; patch?: PatchStrategy } {
  const patch = patchOf(document);
  const fallback = document.default;
  return {
    definition,
    nullable: document.nullable === true,
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(patch ? { patch } : {}),
  };
}

function patchOf(document: JsonObject): PatchStrategy | undefined {
  const text = document['x-kubernetes-patch-strategy'];
  const mergeKey = document['x-kubernetes-patch-merge-key'];
  if (typeof text !== 'string') return undefined;
  const words = text.split(',');
  return {
    merge: words.includes('merge'),
    replace: words.includes('replace'),
    retainKeys: words.includes('retainKeys'),
    ...(typeof mergeKey === 'string' ? { mergeKey } : {}),
  };
}

/** Without a list type, a list that merges under strategic merge patch by a key merges under server-side apply by the same. */
function listTypeOf(document: JsonObject): ListType {
  const declared = document['x-kubernetes-list-type'];
  if (declared === 'set' || declared === 'map' || declared === 'atomic') return declared;
  const patch = patchOf(document);
  if (!patch?.merge) return 'atomic';
  return patch.mergeKey === undefined ? 'set' : 'map';
}

function listKeysOf(document: JsonObject): readonly string[] {
  const declared = strings(document['x-kubernetes-list-map-keys']);
  if (declared.length > 0 || listTypeOf(document) !== 'map') return declared;
  const mergeKey = patchOf(document)?.mergeKey;
  return mergeKey === undefined ? [] : [mergeKey];
}

function child(document: JsonObject, context: Context): Schema {
  return compileNode(document, '', context, () => undefined);
}

function registered(schema: Schema, register: (schema: Schema) => unknown): Schema {
  register(schema);
  return schema;
}

/** v2 writes `$ref` beside its siblings, v3 wraps it in a single `allOf`. */
function referenceOf(document: JsonObject): string | undefined {
  const direct = document.$ref;
  if (typeof direct === 'string') return direct;
  const wrapped = document.allOf;
  if (!Array.isArray(wrapped) || wrapped.length !== 1) return undefined;
  const only = wrapped[0];
  return isObject(only) && typeof only.$ref === 'string' ? only.$ref : undefined;
}

/** `#/components/schemas/NAME` and `#/definitions/NAME`. */
function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** Option kinds (DeleteOptions, WatchEvent) carry many group versions; the first definition to name one has it. */
function indexKinds(definitions: Record<string, JsonObject>): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const [name, document] of Object.entries(definitions)) {
    const kinds = document['x-kubernetes-group-version-kind'];
    if (!Array.isArray(kinds)) continue;
    for (const entry of kinds) {
      if (!isObject(entry)) continue;
      const key = `${entry.group ?? ''}/${entry.version ?? ''}/${entry.kind ?? ''}`;
      if (!names.has(key)) names.set(key, name);
    }
  }
  return names;
}

/** A numeric limit of the document under its own name, or nothing. */
function bound<Name extends string>(document: JsonObject, name: Name): { [K in Name]?: number } {
  const value = document[name];
  return (typeof value === 'number' ? { [name]: value } : {}) as { [K in Name]?: number };
}

function strings(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function isScalarType(type: JsonValue | undefined): type is 'string' | 'integer' | 'number' | 'boolean' {
  return type === 'string' || type === 'integer' || type === 'number' || type === 'boolean';
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
