/**
 * Go's rules for zero values in JSON: a zero is printed when the field is a pointer that is set, or lacks `omitempty`; a struct that is not
 * a pointer is printed always, a time or embedded object among them as null, and so is a list or map that lacks `omitempty`.
 */
import type { JsonObject, JsonValue } from '../../object.ts';
import type { FieldPlan, MessagePlan } from './plan.ts';

/** Is it what Go calls empty: false, 0, "", an empty list or map? */
export function isZero(value: JsonValue): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  return Array.isArray(value) && value.length === 0;
}

/** Is a zero of this field printed, although no pointer holds it? Structs (messages) always are. */
export function keepsZero(field: FieldPlan): boolean {
  if (field.omitZero) return false;
  return !field.omitEmpty || (field.type === 'message' && field.wrap === 'single');
}

/** Adds what Go prints though nobody set it: structs, and all that lacks `omitempty`. `present`: inlined messages that were read themselves. */
export function fillMissing(target: JsonObject, plan: MessagePlan, present: ReadonlySet<FieldPlan> | undefined): void {
  for (const field of plan.fields) {
    if (field.pointer && field.omitEmpty) continue;
    if (field.name === '') {
      if (!present?.has(field)) fillMissing(target, field.message(), undefined);
    } else if (keepsZero(field) && !Object.hasOwn(target, field.name)) {
      const value = missingValue(field);
      if (value !== undefined) target[field.name] = value;
    }
  }
}

function missingValue(field: FieldPlan): JsonValue | undefined {
  if (field.pointer || field.wrap !== 'single') return null;
  switch (field.type) {
    case 'string':
      return '';
    case 'int':
    case 'double':
      return 0;
    case 'bool':
      return false;
    case 'bytes':
      return undefined;
    case 'message':
      return missingMessage(field.message());
  }
}

function missingMessage(plan: MessagePlan): JsonValue | undefined {
  if (plan.special === 'quantity') return '0';
  if (plan.special === 'intOrString') return 0;
  // Times, embedded objects and lists of a named type.
  if (plan.special !== undefined) return null;
  const empty: JsonObject = {};
  fillMissing(empty, plan, undefined);
  return empty;
}
