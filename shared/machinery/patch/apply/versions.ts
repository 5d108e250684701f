/** One object seen in the versions that its owners wrote it in. */
import type { JsonObject } from '../../object.ts';
import type { ObjectSchema, Schema } from '../../schema/schema.ts';
import { UNSTRUCTURED } from './shape.ts';

/** An object and the schema it fits. */
export type Typed = { value: JsonObject; schema: Schema };

/**
 * Turns an object into another version of its kind. Undefined: there is no such version any more; its owners are forgotten, as upstream
 * does. Only kinds whose versions differ in structure need one.
 */
export type ConvertVersion = (
  object: JsonObject,
  apiVersion: string,
) => { object: JsonObject; schema: ObjectSchema | undefined } | undefined;

/** How an object of `apiVersion` is seen in other versions. */
export type Versions = { apiVersion: string; schema: Schema; convert: ConvertVersion | undefined };

/** `value`, which is in version `from`, in version `to`. Without a converter all versions have one structure. */
export function inVersion(versions: Versions, value: JsonObject, from: string, to: string): Typed | undefined {
  if (from === to || versions.convert === undefined) return { value, schema: versions.schema };
  const converted = versions.convert(value, to);
  if (converted === undefined) return undefined;
  if (to === versions.apiVersion) return { value: converted.object, schema: versions.schema };
  return { value: converted.object, schema: converted.schema ?? UNSTRUCTURED };
}
