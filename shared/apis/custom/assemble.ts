/** One registry from the kinds declared in code and those of definitions. Pure. */
import type { Registry, ResourceDefinition } from '../definition.ts';
import { createRegistry } from '../registry.ts';
import { compareVersions } from './crd.ts';

/**
 * Custom kinds follow, by group, version (the preferred one first) and name. What is declared in code, or was claimed by an earlier
 * definition, is not claimed again: a definition may name any group.
 */
export function assembleRegistry(base: readonly ResourceDefinition[], custom: readonly ResourceDefinition[]): Registry {
  const claimed = new Set(base.flatMap(claims));
  const accepted: ResourceDefinition[] = [];
  for (const definition of [...custom].sort(inOrder)) {
    const names = claims(definition);
    if (names.some((name) => claimed.has(name))) continue;
    for (const name of names) claimed.add(name);
    accepted.push(definition);
  }
  return createRegistry([...base, ...accepted]);
}

const claims = ({ group, version, plural, kind }: ResourceDefinition): string[] => [
  `resource ${group}/${version}/${plural}`,
  `kind ${group}/${version}/${kind}`,
];

function inOrder(a: ResourceDefinition, b: ResourceDefinition): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1;
  return compareVersions(a.version, b.version) || (a.plural < b.plural ? -1 : Number(a.plural > b.plural));
}
