/** Objects and writes for the tests of server-side apply. */
import { builtInSchema } from '../../../shared/apis/schemas.ts';
import type { JsonObject, KubeObject, ManagedFieldsEntry } from '../../../shared/machinery/object.ts';
import {
  type ApplyInput,
  type ApplyOutcome,
  applyConfiguration,
  resetFieldsOf,
  trackUpdate,
} from '../../../shared/machinery/patch/apply/apply.ts';

const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment' };
const CONFIG_MAP = { group: '', version: 'v1', kind: 'ConfigMap' };
export const MINUTE_MS = 60_000;

/** A Deployment of this spec. */
export function deployment(spec: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'd', ...metadata }, spec };
}

/** A ConfigMap of these data. */
export function configMap(data: JsonObject, metadata: JsonObject = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', namespace: 'd', ...metadata }, data };
}

type Options = { live?: KubeObject; manager?: string; force?: boolean; minute?: number; subresource?: string };

/** Applies as `alpha`, unforced, at minute 0, unless told otherwise. */
export function applyOf(
  config: KubeObject,
  { live, manager = 'alpha', force = false, minute = 0, subresource = '' }: Options = {},
): ApplyOutcome {
  const kind = config.kind === 'Deployment' ? DEPLOYMENT : CONFIG_MAP;
  const schema = builtInSchema(kind.group, kind.version, kind.kind);
  const resetFields = resetFieldsOf(kind, subresource, config.kind === 'Deployment');
  const input: ApplyInput = { live, config, schema, manager, force, subresource, now: minute * MINUTE_MS, resetFields };
  return applyConfiguration(input);
}

/** The object an apply makes; the test fails when it makes none. */
export function applied(config: KubeObject, options: Options = {}): KubeObject {
  const outcome = applyOf(config, options);
  if (outcome.type !== 'applied') throw new Error(JSON.stringify(outcome));
  return { ...outcome.object, metadata: { ...outcome.object.metadata, uid: 'u' } };
}

/** The object as stored when `manager` wrote `next` over `old`. */
export function updated(old: KubeObject | undefined, next: KubeObject, manager: string, minute: number): KubeObject {
  const kind = next.kind === 'Deployment' ? DEPLOYMENT : CONFIG_MAP;
  const resetFields = resetFieldsOf(kind, '', next.kind === 'Deployment');
  const schema = builtInSchema(kind.group, kind.version, kind.kind);
  const managedFields = trackUpdate({ old, new: next, schema, manager, subresource: '', now: minute * MINUTE_MS, resetFields });
  return { ...next, metadata: { ...next.metadata, uid: 'u', managedFields } };
}

/** An object's entries by `manager operation`. */
export function owners(object: KubeObject): Record<string, ManagedFieldsEntry> {
  return Object.fromEntries((object.metadata.managedFields ?? []).map((entry) => [`${entry.manager} ${entry.operation}`, entry]));
}
