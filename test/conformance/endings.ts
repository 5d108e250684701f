/** What must be undone before the program ends, whatever ends it. */

/** `add` returns a function that forgets what was added. `end` runs the last first, once. */
export type Endings = { add(end: () => Promise<void>): () => void; end(): Promise<void> };

/** An empty list. An ending that fails is told and does not keep the others. */
export function createEndings(): Endings {
  const endings: (() => Promise<void>)[] = [];
  let ended: Promise<void> | undefined;
  const run = async () => {
    for (const end of [...endings].reverse())
      await end().catch((error: Error) => process.stderr.write(`while cleaning up: ${error.message}\n`));
  };
  return {
    add: (end) => {
      endings.push(end);
      return () => void endings.splice(endings.indexOf(end), endings.includes(end) ? 1 : 0);
    },
    end: () => {
      ended ??= run();
      return ended;
    },
  };
}
