/** The store as the server sees it: a medium that fails becomes a Status, so that everything else that is thrown is a defect. */
import { failure, type StatusError, serviceUnavailable } from '../machinery/status.ts';
import type { Store } from '../ports/object-store.ts';
import type { Log } from '../ports/system.ts';

type Part = Pick<Store, 'objects' | 'lanes'>;

/** Reads may be sent again at once (Retry-After). After a write that failed nobody knows whether it happened: the client must look first. */
export function guardStore(store: Part, log: Log): Part {
  const reading = (error: unknown) =>
    failed(log, 'read', error, serviceUnavailable('the server is currently unable to handle the request'));
  const writing = (error: unknown) =>
    failed(
      log,
      'write',
      error,
      failure(503, 'ServiceUnavailable', 'the store did not answer: the write may or may not have happened'),
    );
  return {
    objects: {
      get: (ref) => store.objects.get(ref).catch(reading),
      list: (query) => store.objects.list(query).catch(reading),
      changes: (query) => store.objects.changes(query).catch(reading),
      write: (batch) => store.objects.write(batch).catch(writing),
    },
    lanes: {
      head: (scope) => store.lanes.head(scope).catch(reading),
      compact: (olderThanMs) => store.lanes.compact(olderThanMs),
      onCommit: (listener) => store.lanes.onCommit(listener),
    },
  };
}

function failed(log: Log, what: string, error: unknown, status: StatusError): never {
  log.error(`the store failed on a ${what}`, { error: String(error) });
  throw status;
}
