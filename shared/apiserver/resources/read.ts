/** Reading one object. */

import type { ResourceDefinition } from '../../apis/definition.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { badRequest, notFound, resourceVersionTooLarge } from '../../machinery/status.ts';
import type { StoredObject } from '../../ports/object-store.ts';
import type { Core } from '../core.ts';

/** A kind's resource, as errors name it. */
export const resourceOf = (definition: ResourceDefinition) => ({ group: definition.group, resource: definition.plural });

/** A kind as objects name it. */
export const typeOf = (kind: { group: string; version: string; kind: string }) => ({
  apiVersion: formatApiVersion(kind.group, kind.version),
  kind: kind.kind,
});

/** The stored object; throws 404. */
export async function readStored(
  core: Core,
  definition: ResourceDefinition,
  ref: { scope: string; namespace: string; name: string },
): Promise<StoredObject> {
  const stored = await core.objects(definition).get(ref);
  if (stored === undefined) throw notFound(resourceOf(definition), ref.name);
  return stored;
}

/** A resourceVersion of a request: 0 for none or "0". Throws 400 for what is no version. */
export function parseResourceVersion(text: string | null): number {
  if (text === null || text === '' || text === '0') return 0;
  const version = /^[1-9]\d{0,18}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(version))
    throw badRequest(
      `invalid resource version: resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  return version;
}

/** Every read shows the newest state, so "not older than" only fails for a version that was never given out: 504. */
export async function requireReached(core: Core, scope: string, version: number): Promise<void> {
  if (version === 0) return;
  const { current } = await core.deps.store.lanes.head(scope);
  if (version > Number(current)) throw resourceVersionTooLarge(String(version), current);
}
