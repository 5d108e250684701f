/** How controllers read: objects of a namespace by their stored labels, parsed only when they match. */
import { fromStored } from '../../../shared/apis/stored.ts';
import type { KubeObject, OwnerReference } from '../../../shared/machinery/object.ts';
import {
  type LabelSelector,
  labelSelectorRequirements,
  matchesLabels,
  type Requirement,
} from '../../../shared/machinery/selectors.ts';
import { type Loaded, listStored } from '../../../shared/runtime/objects.ts';
import type { ControlDeps } from './controller.ts';

/** Objects whose labels hold all of these. */
export async function loadMatching(
  deps: Pick<ControlDeps, 'objects'>,
  scope: string,
  namespace: string,
  labels: Readonly<Record<string, string>>,
): Promise<Loaded[]> {
  const wanted = Object.entries(labels);
  return loadWhere(deps, scope, namespace, (present) => wanted.every(([key, value]) => present[key] === value));
}

/** Objects that a selector of an object selects; a selector that cannot be read selects none. */
export async function loadSelected(
  deps: Pick<ControlDeps, 'objects'>,
  scope: string,
  namespace: string,
  selector: LabelSelector,
): Promise<Loaded[]> {
  const requirements = requirementsOf(selector);
  return requirements ? loadWhere(deps, scope, namespace, (labels) => matchesLabels(requirements, labels)) : [];
}

/** The requirements of a selector; undefined when it cannot be read. */
export function requirementsOf(selector: LabelSelector): Requirement[] | undefined {
  try {
    return labelSelectorRequirements(selector);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function loadWhere(
  deps: Pick<ControlDeps, 'objects'>,
  scope: string,
  namespace: string,
  matches: (labels: Readonly<Record<string, string>>) => boolean,
): Promise<Loaded[]> {
  const found: Loaded[] = [];
  for await (const stored of listStored(deps.objects, scope, namespace))
    if (matches(stored.labels)) found.push({ stored, object: fromStored(stored) });
  return found;
}

/** A reference that makes `owner` the controller. */
export function ownerReference(owner: KubeObject): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}
