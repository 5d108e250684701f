/** One requirement of a label selector and the checks that upstream makes when it is built. */
import { labelKeyErrors, labelValueErrors } from './names.ts';

/** `=` also stands for `==`; `exists` has no values, `!` is its opposite. */
export type Operator = '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';

/** One term; all terms of a selector must hold. `values` are sorted and distinct. */
export type Requirement = { key: string; operator: Operator; values: readonly string[] };

/**
 * A requirement, checked as upstream's `NewRequirement` does.
 * Throws SyntaxError.
 */
export function newRequirement(key: string, operator: Operator, values: readonly string[]): Requirement {
  const errors: string[] = [];
  const keyErrors = labelKeyErrors(key);
  if (keyErrors.length > 0) errors.push(`key: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join('; ')}`);
  const countError = valueCountError(operator, values);
  if (countError) errors.push(`values: Invalid value: ${JSON.stringify(values)}: ${countError}`);
  values.forEach((value, index) => {
    if ((operator === 'gt' || operator === 'lt') && !/^[+-]?\d{1,19}$/.test(value)) {
      errors.push(
        `values[${index}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  });
  values.forEach((value, index) => {
    const valueErrors = labelValueErrors(value);
    if (valueErrors.length > 0)
      errors.push(`values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${valueErrors.join('; ')}`);
  });
  if (errors.length > 0) throw new SyntaxError(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
  return { key, operator, values };
}

/** Distinct values in byte order, as Go's sets list them. */
export function sortedSet(values: Iterable<string>): string[] {
  return [...new Set(values)].sort(compareText);
}

/** Order by code unit: byte order for ASCII, which label keys and values are. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function valueCountError(operator: Operator, values: readonly string[]): string | undefined {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case '=':
    case '!=':
      return values.length === 1 ? undefined : 'exact-match compatibility requires one single value';
    case 'gt':
    case 'lt':
      return values.length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
    default:
      return values.length === 0 ? undefined : 'values set must be empty for exists and does not exist';
  }
}
