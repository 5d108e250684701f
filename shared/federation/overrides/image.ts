/** The `image` family: parts of image references are set, added or dropped. Behaviour copied from KubeAdmiral. */
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import { formatImageReference, type ImageReference, isImageDigest, isImageTag, parseImageReference } from './image-reference.ts';
import { type ImageOperation, type ImageOverrider, invalid, type Patches, replacements } from './overriders.ts';
import { containersOf, isJsonObject, podSpecOf } from './pod-spec.ts';

type Images = { type: 'ok'; images: { path: string; image: string }[] } | { type: 'invalid'; message: string };
type Image = { type: 'ok'; image: string } | { type: 'invalid'; message: string };

const PART_BY_COMPONENT: Readonly<Record<string, keyof ImageReference>> = {
  Registry: 'registry',
  Repository: 'repository',
  Tag: 'tag',
  Digest: 'digest',
};

/** One `replace` per image, sorted by path. Several overriders of one path work on each other's result. */
export function imagePatches(object: KubeObject, overriders: readonly ImageOverrider[]): Patches {
  const imageByPath = new Map<string, JsonValue>();
  for (const overrider of overriders) {
    const found = overrider.imagePath ? imageAt(object, overrider.imagePath) : imagesOfContainers(object, overrider);
    if (found.type === 'invalid') return found;
    for (const { path, image } of found.images) {
      const earlier = imageByPath.get(path);
      const changed = changedImage(typeof earlier === 'string' ? earlier : image, overrider.operations ?? []);
      if (changed.type === 'invalid') return invalid(`${path}: ${changed.message}`);
      imageByPath.set(path, changed.image);
    }
  }
  return replacements(imageByPath);
}

function imagesOfContainers(object: KubeObject, { containerNames }: ImageOverrider): Images {
  const podSpec = podSpecOf(object);
  if (!podSpec) return invalid(`a ${object.kind} has no containers: name the image by imagePath`);
  const wanted = containerNames && containerNames.length > 0 ? new Set<unknown>(containerNames) : undefined;
  const containers = containersOf(podSpec).filter(({ container }) => !wanted || wanted.has(container.name));
  const images = containers.map(({ pointer, container }) => ({
    path: `${pointer}/image`,
    image: typeof container.image === 'string' ? container.image : '',
  }));
  return { type: 'ok', images };
}

/** Plain segments: `~0` and `~1` are not unescaped. */
function imageAt(object: KubeObject, path: string): Images {
  if (!path.startsWith('/')) return invalid(`imagePath "${path}" does not start with /`);
  let current: unknown = object;
  for (const segment of path.slice(1).split('/')) current = member(current, segment);
  if (typeof current !== 'string') return invalid(`imagePath "${path}" holds no image`);
  return { type: 'ok', images: [{ path, image: current }] };
}

function member(value: unknown, segment: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(segment) ? value[Number(segment)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}

function changedImage(image: string, operations: readonly ImageOperation[]): Image {
  let reference = parseImageReference(image);
  if (!reference) return invalid(`"${image}" is not an image reference`);
  for (const operation of operations) {
    const changed = changedReference(reference, operation);
    if (changed.type === 'invalid') return changed;
    reference = changed.reference;
  }
  return { type: 'ok', image: formatImageReference(reference) };
}

type Changed = { type: 'ok'; reference: ImageReference } | { type: 'invalid'; message: string };

function changedReference(reference: ImageReference, { imageComponent, operator, value = '' }: ImageOperation): Changed {
  const part = Object.hasOwn(PART_BY_COMPONENT, imageComponent) ? PART_BY_COMPONENT[imageComponent] : undefined;
  if (!part) return invalid(`imageComponent "${imageComponent}" is not Registry, Repository, Tag or Digest`);
  const next = nextPart(reference[part], operator || 'overwrite', value);
  if (next === undefined) return invalid(refusal(imageComponent, operator ?? '', value, reference[part]));
  if (part === 'tag' && next !== '' && !isImageTag(next)) return invalid(`"${next}" is not a tag`);
  if (part === 'digest' && next !== '' && !isImageDigest(next)) return invalid(`"${next}" is not a digest`);
  return { type: 'ok', reference: { ...reference, [part]: next } };
}

function nextPart(present: string, operator: string, value: string): string | undefined {
  if (operator === 'overwrite') return value;
  if (operator === 'delete') return '';
  return operator === 'addIfAbsent' && value !== '' && present === '' ? value : undefined;
}

function refusal(component: string, operator: string, value: string, present: string): string {
  if (operator !== 'addIfAbsent') return `operator "${operator}" is not addIfAbsent, overwrite or delete`;
  return value === '' ? `addIfAbsent of ${component} needs a value` : `addIfAbsent: ${component} is "${present}" already`;
}
