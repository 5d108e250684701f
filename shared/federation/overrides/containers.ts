/** The `command`, `args` and `envs` families: lists of one container, found by name. Behaviour copied from KubeAdmiral. */
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import { type EntrypointOverrider, type EnvOverrider, type EnvVar, invalid, type Patches, replacements } from './overriders.ts';
import { containersOf, podSpecOf } from './pod-spec.ts';

type Changed<T> = { type: 'ok'; list: readonly T[] } | { type: 'invalid'; message: string };

/** `command` or `args` of containers. An empty operator is refused, as there. */
export function entrypointPatches(
  object: KubeObject,
  member: 'command' | 'args',
  overriders: readonly EntrypointOverrider[],
): Patches {
  return listPatches<string, EntrypointOverrider>(object, member, overriders, changedEntrypoint);
}

/** `env` of containers. */
export function envPatches(object: KubeObject, overriders: readonly EnvOverrider[]): Patches {
  return listPatches<EnvVar, EnvOverrider>(object, 'env', overriders, changedEnv);
}

/** One `replace` per container that is named, sorted by path; unknown containers are passed over. An emptied list is written as null. */
function listPatches<T extends JsonValue, O extends { containerName: string }>(
  object: KubeObject,
  member: string,
  overriders: readonly O[],
  change: (list: readonly T[], overrider: O) => Changed<T>,
): Patches {
  if (overriders.length === 0) return replacements(new Map());
  const podSpec = podSpecOf(object);
  if (!podSpec) return invalid(`a ${object.kind} has no containers`);
  const containers = containersOf(podSpec);
  const listByPath = new Map<string, T[]>();
  for (const overrider of overriders) {
    const found = containers.find(({ container }) => container.name === overrider.containerName);
    if (!found) continue;
    const path = `${found.pointer}/${member}`;
    const present = found.container[member];
    const changed = change(listByPath.get(path) ?? (Array.isArray(present) ? (present as T[]) : []), overrider);
    if (changed.type === 'invalid') return invalid(`${path}: ${changed.message}`);
    listByPath.set(path, [...changed.list]);
  }
  return replacements(new Map([...listByPath].map(([path, list]) => [path, list.length === 0 ? null : list])));
}

function changedEntrypoint(list: readonly string[], { operator, value }: EntrypointOverrider): Changed<string> {
  const values = value ?? [];
  if (operator === 'overwrite') return { type: 'ok', list: values };
  if (operator === 'delete') return { type: 'ok', list: list.filter((element) => !values.includes(element)) };
  if (operator !== 'append') return invalid(`operator "${operator ?? ''}" is not append, overwrite or delete`);
  return values.length === 0 ? invalid('append needs values') : { type: 'ok', list: [...list, ...values] };
}

function changedEnv(list: readonly EnvVar[], { operator, value }: EnvOverrider): Changed<EnvVar> {
  const valueByName = new Map((value ?? []).map((variable) => [variable.name, variable]));
  if (operator === undefined || operator === '' || operator === 'overwrite')
    return { type: 'ok', list: list.map((variable) => valueByName.get(variable.name) ?? variable) };
  if (operator === 'delete') return { type: 'ok', list: list.filter((variable) => !valueByName.has(variable.name)) };
  if (operator !== 'addIfAbsent') return invalid(`operator "${operator}" is not addIfAbsent, overwrite or delete`);
  if (!value || value.length === 0) return invalid('addIfAbsent needs values');
  const names = new Set(list.map((variable) => variable.name));
  for (const { name } of value) {
    if (names.has(name)) return invalid(`addIfAbsent: ${name} is set already`);
    names.add(name);
  }
  return { type: 'ok', list: [...list, ...value] };
}
