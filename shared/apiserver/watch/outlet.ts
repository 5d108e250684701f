/** The sending end of a watch: a byte stream whose queue can be measured and waited for. */
import { WATCH_QUEUE_BYTES_MAX } from '../limits.ts';

export type Outlet = {
  stream: ReadableStream<Uint8Array>;
  /** Queues a chunk. False: the queue was over its bound and nothing was taken; the watch is to end. */
  push(chunk: Uint8Array): boolean;
  /** Resolves when the reader has caught up enough, or has gone. */
  drained(): Promise<void>;
  /** Ends the stream after what is queued. */
  close(): void;
  closed(): boolean;
};

/** Chunks below this are taken without waiting for the reader. */
const LOW_WATER_BYTES = 128 * 1024;

/** `onGone`: the client went away. `onEnd`: the stream has ended, whoever ended it. Each is called at most once, `onEnd` last. */
export function createOutlet(onGone: () => void, onEnd: () => void): Outlet {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let waiting: (() => void)[] = [];
  let ended = false;
  const release = () => {
    const released = waiting;
    waiting = [];
    for (const resolve of released) resolve();
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      pull: release,
      cancel: () => {
        ended = true;
        release();
        onGone();
        onEnd();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: LOW_WATER_BYTES }),
  );
  const queued = () => LOW_WATER_BYTES - (controller?.desiredSize ?? 0);
  return {
    stream,
    push(chunk) {
      if (ended || queued() > WATCH_QUEUE_BYTES_MAX) return false;
      controller?.enqueue(chunk);
      return true;
    },
    drained() {
      if (ended || queued() < LOW_WATER_BYTES) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
    close() {
      if (ended) return;
      ended = true;
      controller?.close();
      release();
      onEnd();
    },
    closed: () => ended,
  };
}
