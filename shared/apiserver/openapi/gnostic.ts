/**
 * An OpenAPI v2 document as gnostic's protobuf message `openapi.v2.Document` (github.com/google/gnostic, openapiv2/OpenAPIv2.proto): what
 * kubectl falls back to and Argo CD builds its type system from. Maps become lists of named values, and values without a type of their own
 * (defaults, enums, extensions) become YAML text. Pure.
 */
import {
  createWriter,
  finish,
  prependDouble,
  prependHead,
  prependInt64,
  prependTag,
  prependText,
  WIRE,
  type WireWriter,
  writtenLength,
} from '../../machinery/codec/protobuf/wire.ts';
import { stringifyYaml } from '../../machinery/codec/yaml.ts';
import type { JsonObject, JsonValue } from '../../machinery/object.ts';

/** Writes one field with its number, before what was written. */
type Write = (writer: WireWriter, number: number, value: JsonValue) => void;
/** A member of a message: its name in JSON, its field number, how it is written. */
type Member = readonly [name: string, number: number, write: Write];

/** The bytes of a document. Members that the message has no place for are left out. */
export function encodeGnostic(document: JsonObject): Uint8Array<ArrayBuffer> {
  const writer = createWriter();
  writeMembers(writer, DOCUMENT, document);
  return new Uint8Array(finish(writer));
}

function writeMembers(writer: WireWriter, members: readonly Member[], value: JsonObject): void {
  for (const [name, number, write] of members.toReversed()) {
    if (name === EXTENSIONS) writeEntries(writer, number, extensionsOf(value), any);
    else {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      if (member !== undefined && member !== null) write(writer, number, member);
    }
  }
}

const text: Write = (writer, number, value) => {
  const before = writtenLength(writer);
  prependText(writer, String(value));
  prependHead(writer, number, before);
};
const flag: Write = (writer, number, value) => {
  prependInt64(writer, value === true ? 1 : 0);
  prependTag(writer, number, WIRE.varint);
};
const integer: Write = (writer, number, value) => {
  prependInt64(writer, Math.trunc(Number(value)));
  prependTag(writer, number, WIRE.varint);
};
const double: Write = (writer, number, value) => {
  prependDouble(writer, Number(value));
  prependTag(writer, number, WIRE.fixed64);
};

/** `Any {value = 1, yaml = 2}`. */
const any: Write = (writer, number, value) => {
  nest(writer, number, () => text(writer, 2, stringifyYaml(value)));
};

/** Each element of a list; a single value counts as a list of one. */
const each =
  (write: Write): Write =>
  (writer, number, value) => {
    for (const item of Array.isArray(value) ? value.toReversed() : [value]) write(writer, number, item);
  };

/** A message of the members of a JSON object. The members are given late, because messages contain each other. */
const message =
  (members: () => readonly Member[]): Write =>
  (writer, number, value) => {
    if (isObject(value)) nest(writer, number, () => writeMembers(writer, members(), value));
  };

/** A message with one field, which holds the whole value. */
const wrapped =
  (inner: number, write: Write): Write =>
  (writer, number, value) =>
    nest(writer, number, () => write(writer, inner, value));

/** A message that is a list of `{name = 1, value = 2}`, one for each member of a JSON object. */
const map = (write: Write): Write =>
  wrapped(1, (writer, number, value) => {
    if (isObject(value)) writeEntries(writer, number, Object.entries(value), write);
  });

function writeEntries(
  writer: WireWriter,
  number: number,
  entries: readonly [string, JsonValue | undefined][],
  write: Write,
): void {
  for (const [name, value] of entries.toReversed()) {
    nest(writer, number, () => {
      write(writer, 2, value ?? null);
      text(writer, 1, name);
    });
  }
}

function nest(writer: WireWriter, number: number, write: () => void): void {
  const before = writtenLength(writer);
  write();
  prependHead(writer, number, before);
}

/** Stands for all members whose names begin with `x-`. */
const EXTENSIONS = 'x-';
const extensionsOf = (value: JsonObject) => Object.entries(value).filter(([name]) => name.startsWith(EXTENSIONS));
const isObject = (value: JsonValue): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);

const schema: Write = message(() => SCHEMA);
/** A reference, or what it would refer to. */
const orReference =
  (plain: Write): Write =>
  (writer, number, value) => {
    const isReference = isObject(value) && Object.hasOwn(value, '$ref');
    nest(writer, number, () => (isReference ? message(() => REFERENCE)(writer, 2, value) : plain(writer, 1, value)));
  };

const REFERENCE: readonly Member[] = [
  ['$ref', 1, text],
  ['description', 2, text],
];

/** The bounds that schemas and plain parameters share come under different numbers: `first` is that of `default`. */
const bounds = (first: number): Member[] => [
  ['default', first, any],
  ['maximum', first + 1, double],
  ['exclusiveMaximum', first + 2, flag],
  ['minimum', first + 3, double],
  ['exclusiveMinimum', first + 4, flag],
  ['maxLength', first + 5, integer],
  ['minLength', first + 6, integer],
  ['pattern', first + 7, text],
  ['maxItems', first + 8, integer],
  ['minItems', first + 9, integer],
  ['uniqueItems', first + 10, flag],
  ['enum', first + 11, each(any)],
  ['multipleOf', first + 12, double],
  [EXTENSIONS, first + 13, any],
];

const SCHEMA: readonly Member[] = [
  ['$ref', 1, text],
  ['format', 2, text],
  ['title', 3, text],
  ['description', 4, text],
  ['default', 5, any],
  ['multipleOf', 6, double],
  ['maximum', 7, double],
  ['exclusiveMaximum', 8, flag],
  ['minimum', 9, double],
  ['exclusiveMinimum', 10, flag],
  ['maxLength', 11, integer],
  ['minLength', 12, integer],
  ['pattern', 13, text],
  ['maxItems', 14, integer],
  ['minItems', 15, integer],
  ['uniqueItems', 16, flag],
  ['maxProperties', 17, integer],
  ['minProperties', 18, integer],
  ['required', 19, each(text)],
  ['enum', 20, each(any)],
  [
    'additionalProperties',
    21,
    (writer, number, value) =>
      nest(writer, number, () => (typeof value === 'boolean' ? flag(writer, 2, value) : schema(writer, 1, value))),
  ],
  ['type', 22, wrapped(1, each(text))],
  ['items', 23, wrapped(1, each(schema))],
  ['allOf', 24, each(schema)],
  ['properties', 25, map(schema)],
  ['discriminator', 26, text],
  ['readOnly', 27, flag],
  ['example', 30, any],
  [EXTENSIONS, 31, any],
];

const ITEMS: readonly Member[] = [
  ['type', 1, text],
  ['format', 2, text],
  ['items', 3, message(() => ITEMS)],
  ['collectionFormat', 4, text],
  ...bounds(5),
];

const BODY_PARAMETER: readonly Member[] = [
  ['description', 1, text],
  ['name', 2, text],
  ['in', 3, text],
  ['required', 4, flag],
  ['schema', 5, schema],
  [EXTENSIONS, 6, any],
];

/** Parameters of paths and headers; those of queries and forms have `allowEmptyValue` in between. */
const PLAIN_PARAMETER: readonly Member[] = [
  ['required', 1, flag],
  ['in', 2, text],
  ['description', 3, text],
  ['name', 4, text],
  ['type', 5, text],
  ['format', 6, text],
  ['items', 7, message(() => ITEMS)],
  ['collectionFormat', 8, text],
  ...bounds(9),
];
const QUERY_PARAMETER: readonly Member[] = [
  ...PLAIN_PARAMETER.slice(0, 4),
  ['allowEmptyValue', 5, flag],
  ['type', 6, text],
  ['format', 7, text],
  ['items', 8, message(() => ITEMS)],
  ['collectionFormat', 9, text],
  ...bounds(10),
];

/** The member of `NonBodyParameter` for each place, and its message. */
const PLACES: ReadonlyMap<string, readonly [number, readonly Member[]]> = new Map([
  ['header', [1, PLAIN_PARAMETER]],
  ['formData', [2, QUERY_PARAMETER]],
  ['query', [3, QUERY_PARAMETER]],
  ['path', [4, PLAIN_PARAMETER]],
]);

const parameter: Write = (writer, number, value) => {
  if (!isObject(value)) return;
  nest(writer, number, () => {
    if (value.in === 'body') return message(() => BODY_PARAMETER)(writer, 1, value);
    const place = PLACES.get(String(value.in));
    if (place === undefined) return;
    nest(writer, 2, () => message(() => place[1])(writer, place[0], value));
  });
};

const RESPONSE: readonly Member[] = [
  ['description', 1, text],
  ['schema', 2, wrapped(1, schema)],
  [EXTENSIONS, 5, any],
];

const responses: Write = (writer, number, value) => {
  if (!isObject(value)) return;
  const codes = Object.entries(value).filter(([code]) => !code.startsWith(EXTENSIONS));
  nest(writer, number, () => {
    writeEntries(writer, 2, extensionsOf(value), any);
    writeEntries(writer, 1, codes, orReference(message(() => RESPONSE)));
  });
};

const SECURITY = map(wrapped(1, each(text)));

const OPERATION: readonly Member[] = [
  ['tags', 1, each(text)],
  ['summary', 2, text],
  ['description', 3, text],
  ['operationId', 5, text],
  ['produces', 6, each(text)],
  ['consumes', 7, each(text)],
  ['parameters', 8, each(orReference(parameter))],
  ['responses', 9, responses],
  ['schemes', 10, each(text)],
  ['deprecated', 11, flag],
  ['security', 12, each(SECURITY)],
  [EXTENSIONS, 13, any],
];
const operation = message(() => OPERATION);

const PATH_ITEM: readonly Member[] = [
  ['$ref', 1, text],
  ['get', 2, operation],
  ['put', 3, operation],
  ['post', 4, operation],
  ['delete', 5, operation],
  ['options', 6, operation],
  ['head', 7, operation],
  ['patch', 8, operation],
  ['parameters', 9, each(orReference(parameter))],
  [EXTENSIONS, 10, any],
];

const paths: Write = (writer, number, value) => {
  if (!isObject(value)) return;
  const items = Object.entries(value).filter(([path]) => path.startsWith('/'));
  nest(writer, number, () =>
    writeEntries(
      writer,
      2,
      items,
      message(() => PATH_ITEM),
    ),
  );
};

const INFO: readonly Member[] = [
  ['title', 1, text],
  ['version', 2, text],
  ['description', 3, text],
];
const API_KEY: readonly Member[] = [
  ['type', 1, text],
  ['name', 2, text],
  ['in', 3, text],
  ['description', 4, text],
];

const DOCUMENT: readonly Member[] = [
  ['swagger', 1, text],
  ['info', 2, message(() => INFO)],
  ['host', 3, text],
  ['basePath', 4, text],
  ['schemes', 5, each(text)],
  ['consumes', 6, each(text)],
  ['produces', 7, each(text)],
  ['paths', 8, paths],
  ['definitions', 9, map(schema)],
  ['parameters', 10, map(parameter)],
  ['security', 12, each(SECURITY)],
  // API keys are all that Kubernetes declares.
  [
    'securityDefinitions',
    13,
    map(
      wrapped(
        2,
        message(() => API_KEY),
      ),
    ),
  ],
  [EXTENSIONS, 16, any],
];
