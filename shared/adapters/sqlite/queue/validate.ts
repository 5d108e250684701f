/** Refuses what SQS refuses, so that what works locally works there. Every function throws RangeError. */
import type { Message } from '../../../ports/work-queue.ts';
import { MESSAGE_BYTES_MAX, MESSAGE_ID_CHARACTERS_MAX, RECEIVE_MAX, VISIBILITY_MS_MAX, WAIT_MS_MAX } from '../limits.ts';

/** Letters, digits and ASCII punctuation, no space. */
const ID = /^[!-~]+$/;
const QUEUE = /^[A-Za-z0-9_-]{1,75}$/;
/** What XML 1.0 cannot hold; lone surrogates included. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

/** A message that SQS FIFO would take. */
export function validateMessage({ queue, groupId, dedupeId, body }: Message): void {
  validateQueue(queue);
  validateId('group id', groupId);
  validateId('deduplication id', dedupeId);
  if (body === '') throw new RangeError('a message body must not be empty');
  const bytes = Buffer.byteLength(body);
  if (bytes > MESSAGE_BYTES_MAX) throw new RangeError(`a message body has at most ${MESSAGE_BYTES_MAX} bytes, not ${bytes}`);
  if (FORBIDDEN.test(body)) throw new RangeError('a message body holds a character that SQS refuses');
}

/** A queue name; `.fifo` and a prefix still fit into SQS's 80 characters. */
export function validateQueue(queue: string): void {
  if (!QUEUE.test(queue)) throw new RangeError(`a queue name has 1 to 75 letters, digits, - and _: "${queue}"`);
}

/** Options of a receive call. */
export function validateReceive(options: { queue: string; max: number; visibilityMs: number; waitMs: number }): void {
  validateQueue(options.queue);
  if (!Number.isInteger(options.max)) throw new RangeError(`max is a whole number, not ${options.max}`);
  validateSpan('max', options.max, 1, RECEIVE_MAX);
  validateSpan('visibilityMs', options.visibilityMs, 0, VISIBILITY_MS_MAX);
  validateSpan('waitMs', options.waitMs, 0, WAIT_MS_MAX);
}

/** A visibility timeout set by release. */
export function validateDelay(delayMs: number): void {
  validateSpan('delayMs', delayMs, 0, VISIBILITY_MS_MAX);
}

function validateSpan(name: string, value: number, least: number, most: number): void {
  if (!(value >= least && value <= most)) throw new RangeError(`${name} lies between ${least} and ${most}, not ${value}`);
}

function validateId(name: string, value: string): void {
  if (value.length === 0 || value.length > MESSAGE_ID_CHARACTERS_MAX || !ID.test(value))
    throw new RangeError(`a ${name} has 1 to ${MESSAGE_ID_CHARACTERS_MAX} letters, digits and ASCII punctuation: "${value}"`);
}
