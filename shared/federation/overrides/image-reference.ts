/** Container image references in four parts, by the grammar of the distribution project (`distribution/reference`, `docs/spec`). */

/** `[registry/]repository[:tag][@digest]`; a part that is absent is empty. */
export type ImageReference = { registry: string; repository: string; tag: string; digest: string };

const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const HOST =
  /^(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])(?:\.(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9]))*(?::[0-9]+)?$/;
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const NAME_LENGTH_MAX = 255;

/** True when the text can stand behind the `:` of a reference. */
export function isImageTag(text: string): boolean {
  return TAG.test(text);
}

/** True when the text can stand behind the `@` of a reference. */
export function isImageDigest(text: string): boolean {
  return DIGEST.test(text);
}

/**
 * Splits a reference; undefined when it does not follow the grammar. Text before the first `/` is a registry only when it holds a `.`
 * or `:` or is `localhost`; otherwise all of the name is the repository.
 */
export function parseImageReference(text: string): ImageReference | undefined {
  const [named = '', digest] = splitAt(text, text.indexOf('@'));
  const [name = '', tag] = splitAt(named, named.lastIndexOf(':') > named.lastIndexOf('/') ? named.lastIndexOf(':') : -1);
  if (digest !== undefined && !isImageDigest(digest)) return undefined;
  if (tag !== undefined && !isImageTag(tag)) return undefined;
  if (!isName(name)) return undefined;
  const slash = name.indexOf('/');
  const front = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = /[.:]/.test(front) || front === 'localhost';
  return {
    registry: hasRegistry ? front : '',
    repository: hasRegistry ? name.slice(slash + 1) : name,
    tag: tag ?? '',
    digest: digest ?? '',
  };
}

/** The inverse of `parseImageReference`. */
export function formatImageReference({ registry, repository, tag, digest }: ImageReference): string {
  const name = registry === '' ? repository : `${registry}/${repository}`;
  return `${name}${tag === '' ? '' : `:${tag}`}${digest === '' ? '' : `@${digest}`}`;
}

/** The first component may be a host instead of a path component. */
function isName(name: string): boolean {
  if (name.length > NAME_LENGTH_MAX) return false;
  const [first = '', ...rest] = name.split('/');
  if (!rest.every((component) => PATH_COMPONENT.test(component))) return false;
  return PATH_COMPONENT.test(first) || (rest.length > 0 && HOST.test(first));
}

function splitAt(text: string, index: number): [string, string | undefined] {
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + 1)];
}
