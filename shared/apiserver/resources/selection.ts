/** Which objects a list, watch or deletecollection is about: namespace, name, labels and fields. Pure. */
import type { ResourceDefinition } from '../../apis/definition.ts';
import {
  type FieldRequirement,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
  type Requirement,
} from '../../machinery/selectors.ts';
import { badRequest } from '../../machinery/status.ts';
import type { ObjectRef } from '../../ports/object-store.ts';
import { readFields } from './storage.ts';

/** The part of a stored object that selection reads. */
export type Selectable = {
  namespace: string;
  name: string;
  labels: Record<string, string>;
  fields: Record<string, string>;
  body: string;
};

/** `namespace` and `name` are empty for any. `fields` holds what is left after metadata.name and metadata.namespace with `=` were taken out. */
export type Selection = {
  namespace: string;
  name: string;
  labels: readonly Requirement[];
  fields: readonly FieldRequirement[];
  definition: ResourceDefinition;
  storage: ResourceDefinition;
};

/** Reads the selectors of a request. Throws 400 for bad text, and for a field that the kind does not offer. */
export function parseSelection(
  definition: ResourceDefinition,
  storage: ResourceDefinition,
  namespace: string,
  selectors: { labels: string; fields: string },
): Selection {
  const labels = selectors.labels === '' ? [] : parsed(() => parseLabelSelector(selectors.labels));
  const all = selectors.fields === '' ? [] : parsed(() => parseFieldSelector(selectors.fields));
  for (const { field } of all) if (!isOffered(definition, field)) throw badRequest(notOffered(definition, field));
  const name = all.find((each) => each.field === 'metadata.name' && each.operator === '=')?.value ?? '';
  const within = all.find((each) => each.field === 'metadata.namespace' && each.operator === '=')?.value ?? '';
  const fields = all.filter((each) => !(each.operator === '=' && isTaken(each, name, within, namespace)));
  return { namespace: namespace || within, name, labels, fields, definition, storage };
}

/** True for a requirement that `name` and `namespace` of the selection express in full. */
function isTaken(requirement: FieldRequirement, name: string, within: string, namespace: string): boolean {
  if (requirement.field === 'metadata.name') return name !== '' && requirement.value === name;
  return requirement.field === 'metadata.namespace' && within !== '' && requirement.value === (namespace || within);
}

function isOffered(definition: ResourceDefinition, field: string): boolean {
  return field === 'metadata.name' || field === 'metadata.namespace' || definition.selectableFields.has(field);
}

/** Built-in kinds without fields of their own answer otherwise than those with some. */
function notOffered({ builtIn, selectableFields }: ResourceDefinition, field: string): string {
  if (!builtIn || selectableFields.size > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/** The parsers say what is wrong in upstream's words. */
function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError) throw badRequest(error.message);
    throw error;
  }
}

/** True when the selection leaves nothing out but by namespace: the store can then count what is left. */
export function selectsAll(selection: Selection): boolean {
  return selection.name === '' && selection.labels.length === 0 && selection.fields.length === 0;
}

/** Whether an object belongs to the selection. */
export function selects(selection: Selection, object: Selectable): boolean {
  if (selection.namespace !== '' && object.namespace !== selection.namespace) return false;
  if (selection.name !== '' && object.name !== selection.name) return false;
  if (selection.labels.length > 0 && !matchesLabels(selection.labels, object.labels)) return false;
  if (selection.fields.length === 0) return true;
  const { definition, storage } = selection;
  const own = definition === storage ? object.fields : readFields(definition, storage, object.body);
  return matchesFields(selection.fields, { ...own, 'metadata.name': object.name, 'metadata.namespace': object.namespace });
}

/** The one object that a selection can give, when it names one: then that is read instead of a list. */
export function singleRef(scope: string, selection: Selection): ObjectRef | undefined {
  const { name, namespace, definition } = selection;
  if (name === '' || (namespace === '' && definition.namespaced)) return undefined;
  return { scope, namespace, name };
}
