/** The words in which Go tells what is wrong with JSON text: what users of kube-apiserver know and search for. Pure. */

/** Where the parser stood, by what the engine's message begins with. */
const PLACES: readonly [string, string][] = [
  ['Expected property name', 'looking for beginning of object key string'],
  ['Expected double-quoted property name', 'looking for beginning of object key string'],
  ["Expected ':'", 'after object key'],
  ["Expected ',' or '}'", 'after object key:value pair'],
  ["Expected ',' or ']'", 'after array element'],
  ['Unexpected non-whitespace character', 'after top-level value'],
  ['Bad control character', 'in string literal'],
  ['Bad escaped character', 'in string escape code'],
  ['No number after minus sign', 'in numeric literal'],
  ['Unexpected number', 'after object key:value pair'],
];
const END = 'unexpected end of JSON input';

/** A parse error of `text` as encoding/json words it: `invalid character 'x' looking for beginning of value`. */
export function goJsonError(text: string, error: Error): string {
  const { message } = error;
  if (/^Unexpected end|^Unterminated/.test(message)) return END;
  const place = PLACES.find(([beginning]) => message.startsWith(beginning))?.[1] ?? 'looking for beginning of value';
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) {
    const at = Number(position);
    return at >= text.trimEnd().length ? END : `invalid character ${quoted(text.slice(at))} ${place}`;
  }
  const token = /^Unexpected token '(.)'/su.exec(message)?.[1];
  return token === undefined ? message : `invalid character ${quoted(token)} ${place}`;
}

/** The first character, as Go quotes one. */
function quoted(text: string): string {
  const character = String.fromCodePoint(text.codePointAt(0) ?? 0);
  if (character === "'") return "'\\''";
  return `'${JSON.stringify(character).slice(1, -1).replace('\\"', '"')}'`;
}

/** What a body that cannot be read looked like: its first 30 bytes, in hexadecimal unless it begins like an object. */
export function summarizeBody(body: { text: string; bytes: Uint8Array | undefined }): string {
  const data = body.bytes ? Buffer.from(body.bytes) : Buffer.from(body.text);
  if (data.length === 0) return '<empty>';
  const head = data.subarray(0, 30);
  const text = body.text.startsWith('{') ? head.toString('utf8') : head.toString('hex');
  return data.length > 30 ? `${text} ...` : text;
}
