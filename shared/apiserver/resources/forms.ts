/**
 * The forms an object, a list or a watch event is shown in: as it is, as a Table, or its metadata alone. The object form of a kind that is
 * stored as it is served is made from stored text without parsing it.
 */
import type { Column, ResourceDefinition } from '../../apis/definition.ts';
import { type StoredObject, servedJson } from '../../apis/stored.ts';
import { stringifyJson } from '../../machinery/codec/json.ts';
import { eventFrame } from '../../machinery/codec/protobuf/frame.ts';
import type { ProtobufCodec } from '../../machinery/codec/protobuf.ts';
import type { JsonValue, KubeObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { type FailureStatus, notAcceptable } from '../../machinery/status.ts';
import type { Accepted } from '../http/accept.ts';
import { LIST_BYTES_ITEMS_MIN } from '../limits.ts';
import { listBytes } from './list-bytes.ts';
import { decodeText } from './storage.ts';

/** Stored text with the version it is shown under; an empty version is left out (dry run). */
export type Content = Pick<StoredObject, 'body' | 'managedFields' | 'resourceVersion'>;

/** How to show a kind. `now` (epoch ms) is for cells that show ages. */
export type Shape = {
  definition: ResourceDefinition;
  storage: ResourceDefinition;
  as: Accepted['as'];
  version: Accepted['version'];
  /** What a Table row carries. */
  includeObject: 'None' | 'Metadata' | 'Object';
  now: number;
  /** Set where the answer is protobuf: then only the functions that give bytes may be asked. */
  protobuf?: ProtobufCodec;
};

export type ListMeta = { resourceVersion: string; continue?: string; remainingItemCount?: number };

const META_GROUP = 'meta.k8s.io';

/** Events rendered alike may be shared between watches. */
export function shapeKey(shape: Shape): string {
  const media = shape.protobuf ? ' protobuf' : '';
  if (shape.as === 'object') return `${shape.definition.group}/${shape.definition.version}${media}`;
  return `${shape.definition.group}/${shape.definition.version} ${shape.as} ${shape.version} ${shape.includeObject}${media}`;
}

/** One object as compact JSON. */
export function objectText(shape: Shape, content: Content): string {
  if (shape.as === 'table') return tableText(shape, [content], { resourceVersion: content.resourceVersion }, true);
  if (shape.as === 'metadata') return metadataText(shape, content);
  if (shape.definition !== shape.storage) return stringifyJson(decodeText(shape.definition, shape.storage, content) as never);
  return content.resourceVersion === '' ? unversioned(content) : servedJson(content);
}

function unversioned(content: Content): string {
  return servedJson(content).replace('"resourceVersion":"",', '');
}

/** A list as compact JSON: `{Kind}List`, a Table or a PartialObjectMetadataList. A long one of stored text comes as its bytes. */
export function listBody(shape: Shape, items: readonly Content[], meta: ListMeta): string | Uint8Array<ArrayBuffer> {
  const stored = shape.as === 'object' && shape.definition === shape.storage;
  return stored && items.length >= LIST_BYTES_ITEMS_MIN ? listBytes(listHead(shape, meta), items) : listText(shape, items, meta);
}

function listType({ definition, as, version }: Shape): { kind: string; apiVersion: string } {
  if (as === 'metadata') return { kind: 'PartialObjectMetadataList', apiVersion: `${META_GROUP}/${version}` };
  return { kind: definition.listKind, apiVersion: formatApiVersion(definition.group, definition.version) };
}

function listHead(shape: Shape, meta: ListMeta): string {
  const { kind, apiVersion } = listType(shape);
  return `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(meta)},"items":[`;
}

/** A list as text. */
export function listText(shape: Shape, items: readonly Content[], meta: ListMeta): string {
  if (shape.as === 'table') return tableText(shape, items, meta, true);
  let text = listHead(shape, meta);
  let separator = '';
  for (const item of items) {
    text += separator + objectText(shape, item);
    separator = ',';
  }
  return `${text}]}`;
}

/** One object in protobuf. */
export function objectBytes(shape: Shape, codec: ProtobufCodec, content: Content): Uint8Array<ArrayBuffer> {
  return encoded(codec, plainForm(shape, content));
}

/** A list in protobuf. */
export function protobufList(
  shape: Shape,
  codec: ProtobufCodec,
  items: readonly Content[],
  meta: ListMeta,
): Uint8Array<ArrayBuffer> {
  const list = { ...listType(shape), metadata: meta, items: items.map((item) => plainForm(shape, item)) };
  return encoded(codec, list as unknown as KubeObject);
}

/** The object, or its metadata alone. */
function plainForm(shape: Shape, content: Content): KubeObject {
  const object = decodeText(shape.definition, shape.storage, content);
  return shape.as === 'metadata' ? partialMetadata(object, shape.version) : object;
}

function encoded(codec: ProtobufCodec, object: KubeObject): Uint8Array<ArrayBuffer> {
  const bytes = codec.encode(object);
  if (bytes === undefined) throw notAcceptable(['application/json', 'application/yaml']);
  return new Uint8Array(bytes);
}

const encoder = new TextEncoder();

/** One event of a watch, as it is sent: a line of JSON, or a protobuf frame. A Table names its columns in the first event only. */
export function eventBytes(shape: Shape, type: string, content: Content, withColumns: boolean): Uint8Array {
  if (shape.protobuf) return eventFrame(type, objectBytes(shape, shape.protobuf, content));
  const object =
    shape.as === 'table'
      ? tableText(shape, [content], { resourceVersion: content.resourceVersion }, withColumns)
      : objectText(shape, content);
  return encoder.encode(`{"type":"${type}","object":${object}}\n`);
}

/** An event whose object is at hand: a bookmark, or the Status of an error. */
function specialEvent(shape: Shape, type: string, object: object): Uint8Array {
  if (shape.protobuf) return eventFrame(type, encoded(shape.protobuf, object as KubeObject));
  return encoder.encode(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

/** The last event of a watch that cannot go on. */
export function errorBytes(shape: Shape, status: FailureStatus): Uint8Array {
  return specialEvent(shape, 'ERROR', status);
}

/** A bookmark: everything up to `resourceVersion` was sent. `initialEnd`: the present state is complete. */
export function bookmarkBytes(shape: Shape, resourceVersion: string, initialEnd: boolean): Uint8Array {
  const metadata = {
    resourceVersion,
    creationTimestamp: null,
    ...(initialEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {}),
  };
  return specialEvent(shape, 'BOOKMARK', bookmarkObject(shape, metadata));
}

function bookmarkObject({ definition, as, version, includeObject }: Shape, metadata: { resourceVersion: string }): object {
  const apiVersion = formatApiVersion(definition.group, definition.version);
  const partial = { kind: 'PartialObjectMetadata', apiVersion: `${META_GROUP}/${version}`, metadata };
  if (as === 'metadata') return partial;
  if (as === 'object') return { kind: definition.kind, apiVersion, metadata };
  const object = includeObject === 'Object' ? { kind: definition.kind, apiVersion, metadata } : partial;
  const rows = [{ cells: columnsOf(definition).map(() => ''), object }];
  return { ...tableHead(version, { resourceVersion: metadata.resourceVersion }), columnDefinitions: null, rows };
}

function metadataText(shape: Shape, content: Content): string {
  const object = decodeText(shape.definition, shape.storage, content);
  return stringifyJson(partialMetadata(object, shape.version) as never);
}

function partialMetadata(object: KubeObject, version: string): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `${META_GROUP}/${version}`, metadata: object.metadata };
}

const tableHead = (version: string, metadata: ListMeta) => ({ kind: 'Table', apiVersion: `${META_GROUP}/${version}`, metadata });

function tableText(shape: Shape, items: readonly Content[], meta: ListMeta, withColumns: boolean): string {
  const columns = columnsOf(shape.definition);
  const table = {
    ...tableHead(shape.version, meta),
    columnDefinitions: withColumns ? columns.map(columnDefinition) : null,
    rows: items.map((item) => tableRow(shape, columns, item)),
  };
  return stringifyJson(table as unknown as JsonValue);
}

function tableRow(shape: Shape, columns: readonly Column[], content: Content) {
  const object = decodeText(shape.definition, shape.storage, {
    ...content,
    managedFields: shape.includeObject === 'Object' ? content.managedFields : '',
  });
  const cells = columns.map((column) => column.cell(object, shape.now));
  if (shape.includeObject === 'None') return { cells };
  return { cells, object: shape.includeObject === 'Object' ? object : partialMetadata(object, shape.version) };
}

function columnDefinition({ name, type, format, description, priority }: Column) {
  return { name, type, format: format ?? '', description: description ?? '', priority };
}

/** A kind without columns of its own shows its name and when it was made, as upstream. */
function columnsOf(definition: ResourceDefinition): readonly Column[] {
  return definition.columns.length > 0 ? definition.columns : GENERIC_COLUMNS;
}

const GENERIC_COLUMNS: readonly Column[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0, cell: (object) => object.metadata.name ?? '' },
  { name: 'Created At', type: 'date', priority: 0, cell: (object) => object.metadata.creationTimestamp ?? null },
];
