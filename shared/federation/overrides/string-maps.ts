/** The `annotations` and `labels` families: top-level metadata, replaced as a whole map. Behaviour copied from KubeAdmiral. */
import { setOwn } from '../../machinery/equality.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { invalid, ok, type Patches, type StringMapOverrider } from './overriders.ts';

/** A single `replace` of the whole map, even if nothing changed; nothing without overriders. An unknown operator changes nothing. */
export function stringMapPatches(
  object: KubeObject,
  member: 'annotations' | 'labels',
  overriders: readonly StringMapOverrider[],
): Patches {
  if (overriders.length === 0) return ok([]);
  const map: Record<string, string> = { ...object.metadata[member] };
  for (const { operator, value } of overriders) {
    const entries = Object.entries(value ?? {});
    if (operator === 'addIfAbsent') {
      if (entries.length === 0) return invalid(`addIfAbsent of ${member} needs values`);
      const present = entries.find(([key]) => Object.hasOwn(map, key));
      if (present) return invalid(`addIfAbsent: the ${member.slice(0, -1)} ${present[0]} is set already`);
    }
    for (const [key, text] of entries) change(map, operator || 'overwrite', key, text);
  }
  return ok([{ op: 'replace', path: `/metadata/${member}`, value: map }]);
}

function change(map: Record<string, string>, operator: string, key: string, text: string): void {
  if (operator === 'delete') delete map[key];
  else if (operator === 'addIfAbsent' || (operator === 'overwrite' && Object.hasOwn(map, key))) setOwn(map, key, text);
}
