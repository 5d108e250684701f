/** Rules of label selectors (`matchLabels`, `matchExpressions`). */
import { labelKeyErrors, labelValueErrors } from '../../machinery/names.ts';
import { labelSelectorRequirements, matchesLabels } from '../../machinery/selectors.ts';
import type { FieldError } from '../definition.ts';
import { eachItem, forbidden, invalid, invalidEach, type OwnField, required } from './fields.ts';
import { validateLabels } from './metadata.ts';

/** Errors of a label selector at `field`; an absent one has none. */
export function validateLabelSelector(field: string, selector: OwnField): FieldError[] {
  if (selector === undefined || selector === null) return [];
  return [
    ...validateLabels(`${field}.matchLabels`, selector.matchLabels),
    ...eachItem(`${field}.matchExpressions`, selector.matchExpressions, requirementErrors),
  ];
}

function requirementErrors(requirement: OwnField, path: string): FieldError[] {
  const { key = '', operator = '', values } = requirement ?? {};
  const count = Array.isArray(values) ? values.length : 0;
  return [
    ...operatorErrors(operator, count, path),
    ...invalidEach(`${path}.key`, key, labelKeyErrors(String(key))),
    ...eachItem(`${path}.values`, values, (value, at) => invalidEach(at, value, labelValueErrors(String(value)))),
  ];
}

function operatorErrors(operator: string, values: number, path: string): FieldError[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values === 0 ? [required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'")] : [];
    case 'Exists':
    case 'DoesNotExist':
      return values > 0
        ? [forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
        : [];
    default:
      return [invalid(`${path}.operator`, operator, 'not a valid selector operator')];
  }
}

/** What a selector says of labels. `unreadable`: it is malformed. An absent selector matches nothing, an empty one everything. */
export function selectorMatch(
  selector: OwnField,
  labels: Record<string, string> | undefined,
): 'matches' | 'differs' | 'unreadable' {
  if (selector === undefined || selector === null) return 'differs';
  if (validateLabelSelector('', selector).length > 0) return 'unreadable';
  try {
    return matchesLabels(labelSelectorRequirements(selector), labels ?? {}) ? 'matches' : 'differs';
  } catch {
    return 'unreadable';
  }
}

/** Has it neither labels nor expressions? */
export function isEmptySelector(selector: OwnField): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions?.length ?? 0) === 0;
}
