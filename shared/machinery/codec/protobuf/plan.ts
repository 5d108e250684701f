/** The descriptor data as plans: what a codec needs to know of a message, compiled on first use. */
import type { JsonObject } from '../../object.ts';

/**
 * `messages`: the document `protobuf.json` (`{ messages: { NAME: { f: [fields], special } } }`). `gvk`: `protobuf-gvk.json`, from
 * `group/version/Kind` (`v1/Kind` for the core group) to the name of a message.
 */
export type ProtobufData = { messages: JsonObject; gvk: Record<string, string> };

/** Messages whose JSON is not their fields. */
export type Special =
  | 'time'
  | 'microTime'
  | 'quantity'
  | 'intOrString'
  | 'rawJson'
  | 'rawExtension'
  | 'items'
  | 'schemaOrArray'
  | 'schemaOrBool'
  | 'schemaOrStrings';

/** What a field holds. `int` is any varint integer. */
export type FieldType = 'string' | 'int' | 'bool' | 'bytes' | 'double' | 'message';

/**
 * One field. `name` is the JSON name, empty where Go inlines the message. `pointer` and `omitEmpty` are those of the Go field: together they say
 * when a zero value is printed. `wrap`: one value, a list, or a map from strings.
 */
export type FieldPlan = {
  name: string;
  number: number;
  type: FieldType;
  wrap: 'single' | 'list' | 'map';
  message(): MessagePlan;
  omitEmpty: boolean;
  /** Go's `omitzero`: left out when zero although it is a struct. */
  omitZero: boolean;
  pointer: boolean;
};

/** One message. */
export type MessagePlan = {
  name: string;
  special: Special | undefined;
  fields: readonly FieldPlan[];
  byNumber: ReadonlyMap<number, FieldPlan>;
  byName: ReadonlyMap<string, FieldPlan>;
  /** The fields without a name of their own: messages whose members Go shows among ours. */
  inlined: readonly FieldPlan[];
};

/** Plans by message name and by kind. */
export type Plans = {
  message(name: string): MessagePlan | undefined;
  kind(apiVersion: string, kind: string): MessagePlan | undefined;
};

type FieldData = {
  n: string;
  i: number;
  t: string;
  m?: string;
  r?: boolean;
  k?: string;
  oe?: boolean;
  oz?: boolean;
  ptr?: boolean;
};
type MessageData = { f: FieldData[]; special?: string };

const META = 'k8s.io.apimachinery.pkg.apis.meta.v1.';
/** Kinds of requests and answers, which come under the version of any group. */
const META_KINDS = new Set([
  'DeleteOptions',
  'CreateOptions',
  'UpdateOptions',
  'PatchOptions',
  'ListOptions',
  'GetOptions',
  'Status',
  'WatchEvent',
]);
const SPECIALS: readonly [suffix: string, special: Special][] = [
  ['meta.v1.Time', 'time'],
  ['meta.v1.MicroTime', 'microTime'],
  ['api.resource.Quantity', 'quantity'],
  ['intstr.IntOrString', 'intOrString'],
  ['meta.v1.FieldsV1', 'rawJson'],
  ['apiextensions.v1.JSON', 'rawJson'],
  ['pkg.runtime.RawExtension', 'rawExtension'],
  ['.ExtraValue', 'items'],
  ['meta.v1.Verbs', 'items'],
  ['.JSONSchemaPropsOrArray', 'schemaOrArray'],
  ['.JSONSchemaPropsOrBool', 'schemaOrBool'],
  ['.JSONSchemaPropsOrStringArray', 'schemaOrStrings'],
];
const TYPES: ReadonlyMap<string, FieldType> = new Map([
  ['string', 'string'],
  ['int32', 'int'],
  ['int64', 'int'],
  ['bool', 'bool'],
  ['bytes', 'bytes'],
  ['double', 'double'],
  ['m', 'message'],
]);

/** Plans over the data, each made when it is first asked for. Throws Error when the data name a type that they do not hold. */
export function createPlans({ messages, gvk }: ProtobufData): Plans {
  const data = messages.messages as unknown as Record<string, MessageData>;
  const plans = new Map<string, MessagePlan>();

  function message(name: string): MessagePlan | undefined {
    const known = plans.get(name);
    if (known || !Object.hasOwn(data, name)) return known;
    const plan = planOf(name, data[name] as MessageData, required);
    plans.set(name, plan);
    return plan;
  }

  function required(name: string): MessagePlan {
    const plan = message(name);
    if (!plan) throw new Error(`protobuf data lack message ${name}`);
    return plan;
  }

  function kind(apiVersion: string, kindName: string): MessagePlan | undefined {
    const key = `${apiVersion}/${kindName}`;
    const name = Object.hasOwn(gvk, key) ? gvk[key] : undefined;
    if (name !== undefined) return message(name);
    return META_KINDS.has(kindName) ? message(`${META}${kindName}`) : undefined;
  }

  return { message, kind };
}

function planOf(name: string, { f, special }: MessageData, resolve: (name: string) => MessagePlan): MessagePlan {
  const fields = f.map((field) => fieldPlan(field, resolve));
  return {
    name,
    special: special === undefined ? undefined : SPECIALS.find(([suffix]) => name.endsWith(suffix))?.[1],
    fields,
    byNumber: new Map(fields.map((field) => [field.number, field])),
    byName: new Map(fields.filter((field) => field.name !== '').map((field) => [field.name, field])),
    inlined: fields.filter((field) => field.name === ''),
  };
}

function fieldPlan(field: FieldData, resolve: (name: string) => MessagePlan): FieldPlan {
  const type = TYPES.get(field.t);
  if (!type) throw new Error(`protobuf data have a field of unknown type ${field.t}`);
  let plan: MessagePlan | undefined;
  return {
    name: field.n,
    number: field.i,
    type,
    wrap: field.k === undefined ? (field.r === true ? 'list' : 'single') : 'map',
    message() {
      plan ??= resolve(field.m ?? '');
      return plan;
    },
    omitEmpty: field.oe === true,
    omitZero: field.oz === true,
    pointer: field.ptr === true,
  };
}
