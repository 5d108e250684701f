/**
 * The bytes of a long list, written once from stored text: as one string a list of some hundred kB would be flattened and encoded again
 * by everyone who measures or sends it.
 */
import { servedParts } from '../../apis/stored.ts';
import type { Content } from './forms.ts';

/** `head` ends with `[`. Gives the same text as joining `servedJson` of every item. */
export function listBytes(head: string, items: readonly Content[]): Uint8Array<ArrayBuffer> {
  const parts = items.map(servedParts);
  let size = Buffer.byteLength(head) + 2 + items.length;
  for (const [index, { body }] of items.entries())
    size += Buffer.byteLength(body) + Buffer.byteLength(parts[index]?.inserted ?? '');
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = bytes.write(head, 0);
  for (const [index, { body }] of items.entries()) {
    const part = parts[index];
    if (part === undefined) break;
    if (index > 0) at += bytes.write(',', at);
    at += bytes.write(body.slice(0, part.at), at);
    at += bytes.write(part.inserted, at);
    at += bytes.write(body.slice(part.at), at);
  }
  at += bytes.write(']}', at);
  return bytes.subarray(0, at);
}
