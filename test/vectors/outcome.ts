/** What a mapper gives for one record. Mappers only rename fields and call production functions; they hold no logic of their own. */
import type { JsonValue } from '../../shared/machinery/object.ts';

/** One vector record. Formats: the reference's vector section; `fn`, `plugin` and `kind` pick the function. */
export type VectorRecord = {
  name: string;
  fn?: string;
  plugin?: string;
  kind?: string;
  normalized?: boolean;
  now?: string;
  note?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the shape of an input is the vector file's own; mappers narrow what they read
  input: any;
  expected: JsonValue;
};

/**
 * - `value`: what the production function gave, compared with `expected`;
 * - `failed`: the production function refused the input (an expected outcome, compared with `expected.error`);
 * - `unknown`: the record has a shape that the mapper does not know: a failure, by name.
 */
export type Outcome =
  | { type: 'value'; value: JsonValue }
  | { type: 'failed'; message: string }
  | { type: 'unknown'; what: string };

/** Every file of `mappers/` exports `mappers: Mappers`: base name of a vector file (without `.json`) -> mapper. */
export type Mapper = (record: VectorRecord) => Outcome;
export type Mappers = Record<string, Mapper>;

/** The production function's answer. Members that are undefined are left out, as JSON does. */
export function value(answer: unknown): Outcome {
  return { type: 'value', value: (answer === undefined ? null : JSON.parse(JSON.stringify(answer))) as JsonValue };
}

/** The production function refused. */
export function failed(message: string): Outcome {
  return { type: 'failed', message };
}

/** A record that this mapper cannot read. */
export function unknown(record: VectorRecord): Outcome {
  const what = [record.fn, record.plugin, record.kind].filter((part) => part !== undefined).join(' / ');
  return { type: 'unknown', what: what === '' ? 'record without fn, plugin or kind' : what };
}

/** Picks a mapper by the record's `fn`. */
export function byFunction(functions: Mappers): Mapper {
  return (record) => {
    const name = record.fn ?? '';
    const mapper = Object.hasOwn(functions, name) ? functions[name] : undefined;
    return mapper ? mapper(record) : unknown(record);
  };
}
