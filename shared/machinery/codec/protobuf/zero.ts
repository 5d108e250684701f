/**
 * Go's rules for zero values in JSON: a zero is printed when the field is a pointer that is set, or lacks `omitempty`; a struct that is not
 * a pointer is printed always. Null values are left out altogether, as in all our objects.
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

/** Adds what Go prints though nobody set it: structs, and scalars without `omitempty`. `present`: inlined messages that were read themselves. */
export function fillMissing(target: JsonObject, plan: MessagePlan, present: ReadonlySet<FieldPlan> | undefined): void {
  for (const field of plan.fields) {
    if (field.pointer || field.wrap !== 'single') continue;
    if (field.name === '') {
      if (!present?.has(field)) fillMissing(target, field.message(), undefined);
    } else if (!Object.hasOwn(target, field.name) && keepsZero(field)) {
      const value = missingValue(field);
      if (value !== undefined) target[field.name] = value;
    }
  }
}

function missingValue(field: FieldPlan): JsonValue | undefined {
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
  // Times, raw parts and lists without a value are null in Go.
  if (plan.special !== undefined) return undefined;
  const empty: JsonObject = {};
  fillMissing(empty, plan, undefined);
  return empty;
}
