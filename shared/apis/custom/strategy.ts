/** How custom resources are created and changed: defaults and rules of their schema. */
import type { KubeObject } from '../../machinery/object.ts';
import { applySchemaDefaults } from '../../machinery/schema/defaults.ts';
import { validateSchema } from '../../machinery/schema/validate.ts';
import type { FieldError, Strategy } from '../definition.ts';
import type { CrdScale } from './crd.ts';
import type { CompiledCustom } from './schema.ts';

/** What the rules need to know beside the schema. */
export type CustomKind = { apiVersion: string; kind: string; scale?: CrdScale };

/** The strategy of one version. */
export function customStrategy(compiled: () => CompiledCustom, _kind: CustomKind): Strategy {
  const errorsOf = (object: KubeObject): FieldError[] => {
    const { metadata: _metadata, ...content } = object;
    return validateSchema(compiled().schema, content, '') as FieldError[];
  };
  return {
    applyDefaults: (object) => applySchemaDefaults(compiled().schema, object),
    validate: errorsOf,
  };
}
