/** Reads what users write for an object, `deploy/web` or `deployments.apps web`, against the kinds that are known. */
import type { Registry, ResourceDefinition } from '../apis/definition.ts';
import { CommandError } from './command.ts';

export type NamedResource = { definition: ResourceDefinition; name: string };

/** Resolves `TYPE/NAME` or `TYPE NAME`; TYPE is a plural, singular, short name or kind, with `.group` where that is needed. Throws CommandError. */
export function readObjectName(registry: Registry, words: readonly string[]): NamedResource {
  const [first = '', second] = words;
  const slash = first.indexOf('/');
  const [type, name] = slash < 0 ? [first, second] : [first.slice(0, slash), first.slice(slash + 1)];
  if (!type || !name)
    throw new CommandError(`"${words.join(' ')}" does not name an object`, 'Write TYPE/NAME, for example deploy/web.', 2);
  const definition = findType(registry, type);
  if (!definition)
    throw new CommandError(`there is no type "${type}"`, 'See `kubectl api-resources` for the types that are served.', 2);
  return { definition, name };
}

function findType(registry: Registry, type: string): ResourceDefinition | undefined {
  const wanted = type.toLowerCase();
  const dot = wanted.indexOf('.');
  const [word, group] = dot < 0 ? [wanted, undefined] : [wanted.slice(0, dot), wanted.slice(dot + 1)];
  return registry.all().find((definition) => {
    if (definition.virtual || definition.storedAs) return false;
    if (group !== undefined && definition.group !== group) return false;
    return [definition.plural, definition.singular, definition.kind.toLowerCase(), ...definition.shortNames].includes(word);
  });
}
