/** Applying the patches of overrides: JSON Patch as KubeAdmiral's library reads it, lenient about `replace` of a missing member. */
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import { applyJsonPatch, PatchError, parseJsonPatch } from '../../machinery/patch/json.ts';
import type { OverridePatch } from './overriders.ts';
import { isJsonObject } from './pod-spec.ts';

/** Paths that an override may never name. */
const REFUSED_PATHS: ReadonlySet<string> = new Set(['/metadata/namespace', '/metadata/name', '/metadata/generateName', '/kind']);

/** Which object the copy is: an override that changes one of these by a wider path is refused as well. */
const IDENTITY: readonly ((object: KubeObject) => unknown)[] = [
  (object) => object.apiVersion,
  (object) => object.kind,
  (object) => object.metadata?.name,
  (object) => object.metadata?.namespace,
];

export type Patched = { type: 'ok'; object: KubeObject } | { type: 'invalid'; message: string };

/**
 * The template with the patches applied in order, an empty operator meaning `replace`; the template stays as it is. Invalid: an operation that does not apply, a
 * refused path, or a result that is another object (name, namespace, kind, apiVersion).
 */
export function applyPatches(template: KubeObject, patches: readonly OverridePatch[]): Patched {
  if (patches.length === 0) return { type: 'ok', object: template };
  const refused = patches.find(({ path }) => REFUSED_PATHS.has(path));
  if (refused) return { type: 'invalid', message: `${refused.path} cannot be overridden` };
  const patched = applyLenient(template, patches);
  if (patched.type === 'invalid') return patched;
  const { object } = patched;
  if (isJsonObject(object.metadata) && IDENTITY.every((read) => read(object) === read(template))) return patched;
  return { type: 'invalid', message: 'overrides cannot change apiVersion, kind, name or namespace' };
}

/** Without the guards: the preview of a rule. */
export function applyLenient(template: KubeObject, patches: readonly OverridePatch[]): Patched {
  try {
    const operations = parseJsonPatch(patches.map(withOperator) as JsonValue);
    const object = applyJsonPatch(template as JsonValue, operations, { lenient: true });
    return isJsonObject(object)
      ? { type: 'ok', object: object as KubeObject }
      : { type: 'invalid', message: 'the result is no object' };
  } catch (error) {
    // The patch library reports what does not apply by throwing; here that is an expected outcome.
    if (error instanceof PatchError) return { type: 'invalid', message: error.message };
    throw error;
  }
}

/** `value` is required by the format even where a policy leaves it out: absent means null. */
function withOperator({ op, path, value }: OverridePatch): OverridePatch {
  const operator = op === '' ? 'replace' : op;
  return operator === 'remove' ? { op: operator, path } : { op: operator, path, value: value ?? null };
}
