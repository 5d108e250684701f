/** Who owns which field after a write. */
import type { KubeObject, ManagedFieldsEntry } from '../../machinery/object.ts';
import { type ApplyOutcome, applyConfiguration, resetFieldsOf, trackUpdate } from '../../machinery/patch/apply/apply.ts';
import type { WriteContext } from '../core.ts';
import { convertVersion } from './storage.ts';

/** managedFields of an object that is written whole; `old` is undefined when it is created. */
export function ownersAfter(context: WriteContext, old: KubeObject | undefined, next: KubeObject): ManagedFieldsEntry[] {
  return trackUpdate({ ...common(context), old, new: next });
}

/** The live object with a configuration applied to it. */
export function applyOver(context: WriteContext, live: KubeObject | undefined, config: KubeObject, force: boolean): ApplyOutcome {
  return applyConfiguration({ ...common(context), live, config, force, kind: context.definition });
}

function common({ registry, definition, manager, subresource, now }: WriteContext) {
  return {
    schema: definition.schema(),
    manager,
    subresource,
    now,
    resetFields: resetFieldsOf(definition, subresource, definition.status),
    convert: (object: Parameters<typeof convertVersion>[1], apiVersion: string) => convertVersion(registry, object, apiVersion),
  };
}
