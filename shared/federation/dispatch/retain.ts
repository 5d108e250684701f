/** Fields that a member decides once its copy exists. They are sent with the member's own value, so that owning them changes nothing. */
import { cloneJson } from '../../machinery/equality.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { getPath, setPath } from '../../machinery/paths.ts';
import { ADOPTED_ANNOTATION } from '../keys.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';
import { mayAdopt } from './adopt.ts';
import type { Desired } from './desired.ts';

/** Kinds some of whose fields are taken from the copy: a write needs to have read it. */
const READ_FIRST: ReadonlySet<string> = new Set(['Pod', 'PersistentVolume', 'PersistentVolumeClaim']);

/** True when the object to send depends on the member's copy: on fields that it decides, or on whether it was adopted. `annotations` are the FederatedObject's. */
export function needsCopy({ object, retained }: Desired, annotations: Readonly<Record<string, string>>): boolean {
  return retained.length > 0 || READ_FIRST.has(object.kind) || mayAdopt(annotations);
}

/** The object to send: `desired` with the fields that the copy decides. `copy` undefined: a new copy, which starts with the initial values. */
export function withRetained({ object, retained }: Desired, copy: KubeObject | undefined): KubeObject {
  if (retained.length === 0 && !copy) return object;
  const sent = cloneJson(object);
  for (const { path, initial } of retained) setPath(sent, path, (copy && getPath(copy, path)) ?? initial);
  if (!copy) return sent;
  if (copy.metadata.annotations?.[ADOPTED_ANNOTATION] === 'true')
    sent.metadata.annotations = { ...sent.metadata.annotations, [ADOPTED_ANNOTATION]: 'true' };
  if (sent.kind === 'PersistentVolume') keepFromCopy(sent, copy, 'spec.claimRef');
  if (sent.kind === 'PersistentVolumeClaim') keepFromCopy(sent, copy, 'spec.volumeName');
  if (sent.kind === 'Pod') keepPodFields(sent, copy);
  return sent;
}

/** A container whose resources are the member's: resizing and limit ranges act there. */
export function retainedContainer(desired: JsonObject, member: JsonObject): JsonObject {
  const { resources: _resources, ...rest } = desired;
  return member.resources === undefined ? rest : { ...rest, resources: member.resources };
}

function keepFromCopy(sent: KubeObject, copy: KubeObject, path: string): void {
  const present = getPath(copy, path);
  if (present !== undefined && getPath(sent, path) !== undefined) setPath(sent, path, present);
}

/** Volumes of a Pod cannot change: those that the copy has are sent as they are there, others are left out. */
function keepPodFields(sent: KubeObject, copy: KubeObject): void {
  for (const list of ['containers', 'initContainers']) mapByName(sent, copy, list, retainedContainer);
  const volumes = named(copy.spec?.volumes);
  if (!Array.isArray(sent.spec?.volumes)) return;
  sent.spec.volumes = (sent.spec.volumes as JsonObject[]).flatMap((volume) => volumes.get(volume.name) ?? []);
}

function mapByName(
  sent: KubeObject,
  copy: KubeObject,
  list: string,
  change: (item: JsonObject, member: JsonObject) => JsonObject,
): void {
  const members = named(copy.spec?.[list]);
  if (!Array.isArray(sent.spec?.[list])) return;
  sent.spec[list] = (sent.spec[list] as JsonObject[]).map((item) => {
    const member = members.get(item.name);
    return member ? change(item, member) : item;
  });
}

function named(list: unknown): Map<JsonValue | undefined, JsonObject> {
  const items = Array.isArray(list) ? list.filter(isJsonObject) : [];
  return new Map(items.map((item) => [item.name, item]));
}
