/** Conflicts between appliers, as values and as the Status that clients read. */
import type { GroupResource } from '../../resource.ts';
import { failure, type StatusCause, type StatusError } from '../../status.ts';
import { compareElements, compareText, formatPath } from './element.ts';
import type { FieldSet } from './field-set.ts';
import { quoteGo } from './go-text.ts';
import type { Managers } from './managers.ts';
import type { Conflicts } from './take-over.ts';

/** What one other manager owns of the fields that an apply wants. `fields` are printed paths, parents before children. */
export type ApplyConflict = {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource?: string;
  time?: string;
  fields: string[];
};

/** The conflicts as values, managers in upstream's order. */
export function describeConflicts(conflicts: Conflicts, managers: Managers): ApplyConflict[] {
  const described: ApplyConflict[] = [];
  for (const id of [...conflicts.keys()].sort(compareText)) {
    const [owner, set] = [managers.get(id), conflicts.get(id)];
    if (owner === undefined || set === undefined) continue;
    described.push({
      manager: owner.manager,
      operation: owner.operation,
      apiVersion: owner.apiVersion,
      ...(owner.subresource === '' ? {} : { subresource: owner.subresource }),
      ...(owner.time === undefined ? {} : { time: owner.time }),
      fields: listPaths(set).map(formatPath),
    });
  }
  return described;
}

/** The paths of a set: at each level its members first, then what lies below. */
export function listPaths(set: FieldSet, parent: readonly string[] = []): string[][] {
  const elements = [...set.keys()].sort(compareElements);
  const members = elements.filter((element) => set.get(element)?.owned).map((element) => [...parent, element]);
  const below = elements.flatMap((element) => {
    const fields = set.get(element)?.fields;
    return fields === undefined ? [] : listPaths(fields, [...parent, element]);
  });
  return [...members, ...below];
}

/**
 * 409 of an apply that was not forced (apimachinery: `NewApplyConflict`). `resource` and `name` say whose; upstream's Status has no details
 * but the causes, and neither has this one.
 */
export function conflictStatus(_resource: GroupResource, _name: string, conflicts: readonly ApplyConflict[]): StatusError {
  const causes: StatusCause[] = conflicts.flatMap((conflict) =>
    conflict.fields.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${printManager(conflict)}`,
      field,
    })),
  );
  return failure(409, 'Conflict', conflictMessage(conflicts, causes), { causes });
}

function conflictMessage(conflicts: readonly ApplyConflict[], causes: readonly StatusCause[]): string {
  const [first] = causes;
  if (causes.length === 1 && first !== undefined) return `Apply failed with 1 conflict: ${first.message}: ${first.field}`;
  const lines = conflicts.flatMap((conflict) => [
    `conflicts with ${printManager(conflict)}:`,
    ...conflict.fields.map((field) => `- ${field}`),
  ]);
  return `Apply failed with ${causes.length} conflicts: ${lines.join('\n')}`;
}

function printManager({ manager, operation, apiVersion, subresource }: ApplyConflict): string {
  const name = subresource === undefined ? quoteGo(manager) : `${quoteGo(manager)} with subresource ${quoteGo(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}
