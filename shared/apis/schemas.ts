/** The type tree of the built-in kinds: compiled on first use, one definition at a time. */
import { compileSchemas } from '../machinery/schema/compile.ts';
import type { ObjectSchema } from '../machinery/schema/schema.ts';
import { typeDefinitions } from './data/load.ts';
import { once } from './once.ts';

/** What `compileSchemas` gives: look-ups by definition name and by kind. */
export type SchemaSet = ReturnType<typeof compileSchemas>;

/** Schemas of every built-in kind (Kubernetes 1.35). */
export const typeSchemas: () => SchemaSet = once(() => compileSchemas(typeDefinitions()));

/** Structure of a built-in kind; undefined when there is no such kind. */
export function builtInSchema(group: string, version: string, kind: string): ObjectSchema | undefined {
  return typeSchemas().kind(group, version, kind);
}
