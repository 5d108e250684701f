/** Delays a pure computation to its first use and keeps the answer: for compiled constants, never for state. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
