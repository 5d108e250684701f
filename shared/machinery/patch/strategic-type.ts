/** What the type says about a member of a map, for strategic merge patch. */
import type { Schema } from '../schema/schema.ts';
import { PatchError } from './error.ts';

/** `strategy` without retainKeys (that is the client's business): `merge`, `replace` or empty. `mergeKey` is empty for scalars. */
export type MemberType = { schema: Schema; strategy: 'merge' | 'replace' | ''; mergeKey: string };

/** The type of a member whose value is a map or list on both sides. Throws PatchError: only fields of structs can be merged. */
export function lookUpMember(type: Schema, name: string): MemberType {
  if (type.kind !== 'object' && type.definition === '')
    throw failed(`merging an object in json but data type is not struct, instead is: ${goKind(type)}`);
  const schema = type.kind === 'object' ? type.properties.get(name) : undefined;
  if (schema === undefined)
    throw failed(`unable to find api field in struct ${structName(type)} for the json field ${JSON.stringify(name)}`);
  const { patch } = schema;
  return { schema, strategy: patch?.merge ? 'merge' : patch?.replace ? 'replace' : '', mergeKey: patch?.mergeKey ?? '' };
}

/** The type of a list's items. Throws PatchError when the field is no list. */
export function itemType(schema: Schema): Schema {
  if (schema.kind !== 'list') throw failed(`expected slice or array type, but got: ${goKind(schema)}`);
  return schema.items;
}

function structName({ definition }: Schema): string {
  return definition.slice(definition.lastIndexOf('.') + 1);
}

function goKind(schema: Schema): string {
  if (schema.kind === 'object') return 'struct';
  if (schema.kind === 'list') return 'slice';
  return schema.kind === 'scalar' ? schema.scalar : schema.kind;
}

function failed(message: string): PatchError {
  return new PatchError('failed', message);
}
