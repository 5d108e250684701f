/** What of a registry is answered: discovery lists exactly this, and routing asks the same questions. Pure. */
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';

/** Names of views: `group/resource` or `group/resource/subresource`. */
export type ViewNames = { has(name: string): boolean };

export type Subresource = ResourceDefinition['subresources'][number];

/** A part of the object itself, stored with it: `finalize`, `approval`, `resize`. `log` and its like also answer the object's kind, but cannot be written. */
export function isStoredPart(definition: ResourceDefinition, subresource: Subresource): boolean {
  return subresource.kind === definition.kind && subresource.verbs.includes('update');
}

/** The definitions that are answered, with the subresources that are. `status` and `scale` are told by their own fields. */
export function servedDefinitions(registry: Registry, views: ViewNames): ResourceDefinition[] {
  const served = registry.all().filter((each) => !each.virtual || views.has(`${each.group}/${each.plural}`));
  return served.map((definition) => ({
    ...definition,
    subresources: definition.subresources.filter(
      (each) => isStoredPart(definition, each) || views.has(`${definition.group}/${definition.plural}/${each.name}`),
    ),
  }));
}
