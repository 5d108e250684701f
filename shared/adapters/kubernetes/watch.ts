/** A Kubernetes watch as an async iterable: one JSON document per line. */
import { parseJson } from '../../machinery/codec/json.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { type MemberConnection, MemberWatchError, type MemberWatchEvent } from '../../ports/member-client.ts';
import { networkFailure, statusFailure } from './failures.ts';
import type { MemberHttp } from './http.ts';
import { WATCH_LINE_CHARS_MAX } from './limits.ts';

/** Events of a watch URL until the server ends it cleanly or `signal` aborts. Throws MemberWatchError otherwise. */
export async function* watchEvents(
  connection: MemberConnection,
  http: MemberHttp,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<MemberWatchEvent> {
  try {
    const opened = await http.stream(path, signal);
    if (!('body' in opened)) throw watchError(opened);
    for await (const line of lines(opened.body)) {
      const event = parseEvent(connection, line);
      if (event) yield event;
    }
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof MemberWatchError) throw error;
    throw new MemberWatchError(networkFailure(connection, error));
  }
}

function watchError(failure: ReturnType<typeof statusFailure>): MemberWatchError {
  const isExpired = failure.type === 'rejected' && failure.code === 410;
  return new MemberWatchError(isExpired ? { type: 'expired', message: failure.message } : failure);
}

async function* lines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', start)) {
      // Empty lines are keep-alives.
      if (end > start) yield rest.slice(start, end);
      start = end + 1;
    }
    rest = rest.slice(start);
    if (rest.length > WATCH_LINE_CHARS_MAX) throw new Error('one watch event is larger than 16 MiB');
  }
}

type RawEvent = { type?: string; object?: KubeObject & { code?: number; message?: string } };

function parseEvent(connection: MemberConnection, line: string): MemberWatchEvent | undefined {
  const { type, object } = parseJson(line) as unknown as RawEvent;
  if (!object) return undefined;
  switch (type) {
    case 'ADDED':
      return { type: 'added', object };
    case 'MODIFIED':
      return { type: 'modified', object };
    case 'DELETED':
      return { type: 'deleted', object };
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: object.metadata.resourceVersion ?? '' };
    case 'ERROR':
      throw watchError(statusFailure(connection, object.code ?? 500, line.slice(line.indexOf('"object":') + 9, -1)));
    default:
      return undefined;
  }
}
