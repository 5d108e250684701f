/** Finds members that a JSON text gives twice: JSON.parse keeps the last silently, strict field validation must name them. */

import { STRICT_ERRORS_MAX } from '../limits.ts';
import { endOfString } from './json.ts';

/** An open object or list while scanning. `key` is the member, or `index` the element, that is being read. */
type Frame = { seen: Set<string> | undefined; key: string; index: number; expectsKey: boolean };

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Paths (`spec.containers[0].name`) of members given more than once, each once, in the order of the text, at most STRICT_ERRORS_MAX.
 * The text must be valid JSON. One pass, no recursion.
 */
export function duplicateKeys(jsonText: string): string[] {
  const duplicates = new Set<string>();
  scanKeys(jsonText, (frames, isRepeated) => {
    if (isRepeated && duplicates.size < STRICT_ERRORS_MAX) duplicates.add(pathOf(frames));
  });
  return [...duplicates];
}

/** Calls `visit` at each member's name, in the order of the text; the last frame's key is the name. */
function scanKeys(jsonText: string, visit: (frames: readonly Frame[], isRepeated: boolean) => void): void {
  const frames: Frame[] = [];
  for (let index = 0; index < jsonText.length; index += 1) {
    const frame = frames[frames.length - 1];
    switch (jsonText.charCodeAt(index)) {
      case QUOTE: {
        const end = endOfString(jsonText, index);
        if (end < 0) return;
        if (frame?.seen && frame.expectsKey) visit(frames, readKey(frame, frame.seen, keyText(jsonText, index, end)));
        index = end;
        break;
      }
      case COMMA:
        if (frame?.seen) frame.expectsKey = true;
        else if (frame) frame.index += 1;
        break;
      case OPEN_BRACE:
        frames.push({ seen: new Set(), key: '', index: 0, expectsKey: true });
        break;
      case OPEN_BRACKET:
        frames.push({ seen: undefined, key: '', index: 0, expectsKey: false });
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        frames.pop();
        break;
      default:
    }
  }
}

/**
 * The complaints of strict decoding as upstream words them: `unknown field "spec.foo"`, `duplicate field "spec.replicas"`. Duplicates
 * inside an unknown field are not named, because upstream skips what it does not know.
 */
export function strictErrors(unknownFields: readonly string[], duplicates: readonly string[]): string[] {
  const skipped = new Set(unknownFields);
  const named = duplicates.filter((path) => !isWithin(path, skipped));
  const errors = [...named.map((path) => `duplicate field "${path}"`), ...unknownFields.map((path) => `unknown field "${path}"`)];
  return [...new Set(errors)].slice(0, STRICT_ERRORS_MAX);
}

/** The same complaints in the order of the JSON text, as Go's decoder of a built-in kind meets them. */
export function strictErrorsInText(jsonText: string, unknownFields: readonly string[]): string[] {
  const skipped = new Set(unknownFields);
  const errors = new Set<string>();
  scanKeys(jsonText, (frames, isRepeated) => {
    const path = pathOf(frames);
    if (skipped.has(path)) errors.add(`unknown field "${path}"`);
    else if (isRepeated && !isWithin(path, skipped)) errors.add(`duplicate field "${path}"`);
  });
  for (const path of unknownFields) errors.add(`unknown field "${path}"`);
  return [...errors].slice(0, STRICT_ERRORS_MAX);
}

/** Takes the name in; true when the object had it before. */
function readKey(frame: Frame, seen: Set<string>, key: string): boolean {
  frame.expectsKey = false;
  frame.key = key;
  const isRepeated = seen.has(key);
  seen.add(key);
  return isRepeated;
}

function keyText(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

function pathOf(frames: readonly Frame[]): string {
  let path = '';
  for (const { seen, key, index } of frames) {
    if (!seen) path += `[${index}]`;
    else path += path === '' ? key : `.${key}`;
  }
  return path;
}

function isWithin(path: string, ancestors: ReadonlySet<string>): boolean {
  if (ancestors.size === 0) return false;
  if (ancestors.has(path)) return true;
  for (let end = path.length - 1; end > 0; end -= 1) {
    const character = path[end];
    if ((character === '.' || character === '[') && ancestors.has(path.slice(0, end))) return true;
  }
  return false;
}
