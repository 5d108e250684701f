/** Rules of Nodes (k8s.io/kubernetes/pkg/apis/core/validation). */
import { deepEqual } from '../../machinery/equality.ts';
import { labelKeyErrors, labelValueErrors } from '../../machinery/names.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { parseQuantity } from '../../machinery/quantity.ts';
import type { FieldError } from '../definition.ts';
import {
  duplicate,
  eachItem,
  forbidden,
  invalid,
  invalidEach,
  NOT_NEGATIVE,
  type OwnField,
  requiredOneOf,
} from '../validation/fields.ts';
import { cidrErrors } from '../validation/formats.ts';

export function validateNode(node: KubeObject): FieldError[] {
  const { capacity, allocatable } = node.status ?? {};
  return [
    ...taintsErrors(node.spec?.taints),
    ...amountErrors('status.capacity', capacity),
    ...amountErrors('status.allocatable', allocatable),
    ...rangesErrors(node.spec?.podCIDRs),
  ];
}

function amountErrors(field: string, amounts: OwnField): FieldError[] {
  return Object.entries((amounts ?? {}) as Record<string, string>)
    .filter(([, amount]) => parseQuantity(String(amount)).unscaled < 0n)
    .map(([name, amount]) => invalid(`${field}.${name}`, amount, NOT_NEGATIVE));
}

function rangesErrors(cidrs: OwnField): FieldError[] {
  if (!Array.isArray(cidrs) || cidrs.length === 0) return [];
  const field = 'spec.podCIDRs';
  const errors = eachItem(field, cidrs, (cidr, path) => invalidEach(path, cidr, cidrErrors(cidr)));
  const [first = '', second = ''] = cidrs.map(String);
  const isBalanced = cidrs.length === 1 || (cidrs.length === 2 && first.includes(':') !== second.includes(':'));
  return isBalanced ? errors : [...errors, invalid(field, cidrs, 'may specify no more than one CIDR for each IP family')];
}

function taintsErrors(taints: OwnField): FieldError[] {
  const seen = new Set<string>();
  return eachItem('metadata.taints', taints, (taint, path) => {
    const { key = '', value = '', effect = '', timeAdded = null } = taint ?? {};
    const errors = [
      ...invalidEach(`${path}.key`, key, labelKeyErrors(key)),
      ...invalidEach(`${path}.value`, value, labelValueErrors(value)),
      ...requiredOneOf(`${path}.effect`, effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
    ];
    const id = `${key}:${effect}`;
    if (seen.has(id)) {
      const shown = duplicate(path, { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded });
      errors.push({ ...shown, detail: `${shown.detail}: taints must be unique by key and effect pair` });
    }
    seen.add(id);
    return errors;
  });
}

/** What a node was given once it keeps. */
export function validateNodeUpdate({ spec }: KubeObject, old: KubeObject): FieldError[] {
  const { podCIDRs = [], providerID = '' } = old.spec ?? {};
  return [
    ...(podCIDRs.length > 0 && !deepEqual(spec?.podCIDRs ?? [], podCIDRs)
      ? [forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')]
      : []),
    ...(providerID !== '' && (spec?.providerID ?? '') !== providerID
      ? [forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid')]
      : []),
    ...((spec?.externalID ?? '') === (old.spec?.externalID ?? '') ? [] : [forbidden('spec.externalID', 'may not be updated')]),
  ];
}
