/** FNV hashes of 32 bits over UTF-8 bytes: KubeAdmiral and Kubernetes derive names and orders from them. */

const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** FNV-1 (multiply, then xor): Go's `hash/fnv.New32`. Unsigned 32 bits. */
export function fnv1_32(text: string): number {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}

/** FNV-1a (xor, then multiply): Go's `hash/fnv.New32a`. Unsigned 32 bits. */
export function fnv1a_32(text: string): number {
  let hash = OFFSET_BASIS;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}
