/** The kind CustomResourceDefinition itself: what happens to one when it is written (apiextensions' strategy). */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { formatCheck } from '../../machinery/schema/formats.ts';
import type { KindDeclaration } from '../declare.ts';
import { defaultCustomResourceDefinition } from '../others/defaults.ts';
import { specOf, statusOf, storageVersionOf } from './crd.ts';
import { validateCrd, validateCrdStatus } from './crd-validation.ts';
import { entriesOf, isObject } from './structural.ts';

export const CRD_KIND: KindDeclaration = {
  generation: true,
  deleteReturnsObject: true,
  strategy: {
    applyDefaults: defaultCustomResourceDefinition,
    prepareForUpdate: recordStorageVersion,
    validate: (crd) => validateCrd(crd),
    validateChange: (crd, old, subresource) => (subresource === 'status' ? validateCrdStatus(crd) : validateCrd(crd, old)),
    warnings: unknownFormats,
  },
};

/** Formats that nobody checks: a warning for those that are new. */
function unknownFormats(crd: KubeObject, old: KubeObject | undefined): string[] {
  const known = new Set(old ? formatsOf(old) : []);
  return formatsOf(crd)
    .filter((format) => !known.has(format))
    .map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function formatsOf(crd: KubeObject): string[] {
  const found: string[] = [];
  const visit = (schema: JsonObject): void => {
    const { type, format } = schema;
    if (type === 'string' && typeof format === 'string' && format !== '' && formatCheck(format) === undefined) found.push(format);
    for (const each of [schema.items, schema.additionalProperties, schema.not]) if (isObject(each)) visit(each);
    for (const [, each] of entriesOf(schema.properties)) visit(each);
    for (const list of [schema.allOf, schema.anyOf, schema.oneOf])
      for (const each of Array.isArray(list) ? list : []) if (isObject(each)) visit(each);
  };
  for (const { schema } of specOf(crd).versions) if (schema?.openAPIV3Schema) visit(schema.openAPIV3Schema);
  return found;
}

/** A version that objects were once written in is remembered until somebody says that none is left. */
function recordStorageVersion(crd: KubeObject): void {
  const storage = storageVersionOf(specOf(crd))?.name;
  const { storedVersions = [] } = statusOf(crd);
  if (storage === undefined || storedVersions.includes(storage)) return;
  crd.status = { ...crd.status, storedVersions: [...storedVersions, storage] };
}
