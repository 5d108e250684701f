/** Names of Go types and fields, as they appear in the decoding errors of kube-apiserver. Recorded from a 1.35 server. */
import type { Schema } from './schema.ts';

/** `PodSpec` of `io.k8s.api.core.v1.PodSpec`: the struct that an error names. */
export function goStructName(definition: string): string {
  return definition.slice(definition.lastIndexOf('.') + 1);
}

/** The Go type that a node stands for: `int32`, `[]v1.Container`, `map[string]string`, `v1.PodSpec`. */
export function goTypeName(schema: Schema): string {
  switch (schema.kind) {
    case 'object':
      return goQualifiedName(schema.definition);
    case 'list':
      return `[]${goTypeName(schema.items)}`;
    case 'map':
      return isQuantity(schema.values) ? 'v1.ResourceList' : `map[string]${goTypeName(schema.values)}`;
    case 'any':
      return schema.definition === '' ? 'interface {}' : goQualifiedName(schema.definition);
    case 'scalar':
      return goScalarName(schema);
  }
}

/** What a JSON value is called in `cannot unmarshal X into`; integers that do not fit are named with their digits. */
export function goValueName(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** Fields that Go promotes from an embedded struct: its name then stands in the path. Type -> embedded name -> fields. */
const EMBEDDED: ReadonlyMap<string, { name: string; promotes(field: string): boolean }> = new Map([
  ['Volume', { name: 'VolumeSource', promotes: (field: string) => field !== 'name' }],
  ['Probe', { name: 'ProbeHandler', promotes: (field: string) => ['exec', 'httpGet', 'tcpSocket', 'grpc'].includes(field) }],
  ['EphemeralContainer', { name: 'EphemeralContainerCommon', promotes: (field: string) => field !== 'targetContainerName' }],
  ['IngressRule', { name: 'IngressRuleValue', promotes: (field: string) => field === 'http' }],
  ['PersistentVolumeSpec', { name: 'PersistentVolumeSource', promotes: (field: string) => !VOLUME_FIELDS.has(field) }],
  ...['ConfigMapVolumeSource', 'ConfigMapProjection', 'SecretProjection', 'ConfigMapKeySelector', 'SecretKeySelector'].map(
    promotesName,
  ),
  ...['ConfigMapEnvSource', 'SecretEnvSource'].map(promotesName),
]);
const VOLUME_FIELDS = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);

/** `ProbeHandler.httpGet` for `httpGet` of a Probe; the field itself elsewhere. */
export function goFieldPath(struct: string, field: string): string {
  const embedded = EMBEDDED.get(struct);
  return embedded?.promotes(field) ? `${embedded.name}.${field}` : field;
}

function promotesName(struct: string): [string, { name: string; promotes(field: string): boolean }] {
  return [struct, { name: 'LocalObjectReference', promotes: (field) => field === 'name' }];
}

function goScalarName(schema: Extract<Schema, { kind: 'scalar' }>): string {
  switch (schema.scalar) {
    case 'string':
      return schema.format === 'byte' ? '[]uint8' : 'string';
    case 'integer':
      return schema.format === 'int64' ? 'int64' : 'int32';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'intOrString':
      return 'intstr.IntOrString';
    case 'quantity':
      return 'resource.Quantity';
  }
}

function isQuantity(schema: Schema): boolean {
  return schema.kind === 'scalar' && schema.scalar === 'quantity';
}

function goQualifiedName(definition: string): string {
  return definition.split('.').slice(-2).join('.');
}
