/** Columns of `admissionregistration.k8s.io/v1` kinds. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import { AGE, integer, list, NAME, text } from '../printing/columns.ts';

export const WEBHOOK_COLUMNS: readonly Column[] = [NAME, integer('Webhooks', (object) => list(object.webhooks).length), AGE];

export const ADMISSION_POLICY_COLUMNS: readonly Column[] = [
  NAME,
  integer('Validations', (policy) => list(policy.spec?.validations).length),
  text('ParamKind', (policy) => paramKind(policy.spec?.paramKind)),
  AGE,
];

function paramKind(kind: KubeObject[string]): string {
  return kind ? `${kind.apiVersion ?? ''}/${kind.kind ?? ''}` : '<unset>';
}

export const ADMISSION_BINDING_COLUMNS: readonly Column[] = [
  NAME,
  text('PolicyName', (binding) => binding.spec?.policyName ?? ''),
  text('ParamRef', (binding) => paramRef(binding.spec?.paramRef)),
  AGE,
];

function paramRef(reference: KubeObject[string]): string {
  return reference?.name ? `${reference.namespace || '*'}/${reference.name}` : '<unset>';
}
