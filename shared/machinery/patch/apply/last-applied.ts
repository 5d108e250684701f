/** The one manager with special rights: `kubectl`, which moves objects from client-side to server-side apply. */
import { canonicalJson } from '../../canonical.ts';
import { parseJson } from '../../codec/json.ts';
import type { JsonObject, KubeObject } from '../../object.ts';
import type { Schema } from '../../schema/schema.ts';
import { collectFields } from './collect.ts';
import { compareObjects } from './compare.ts';
import { escapeHtml } from './element.ts';
import { difference, emptySet, type FieldSet } from './field-set.ts';
import { asMap } from './shape.ts';
import type { Conflicts } from './take-over.ts';
import { typeErrors } from './validate.ts';

/** The manager kubectl applies as, unless told otherwise. */
export const KUBECTL = 'kubectl';

/** Where client-side apply keeps what it applied. */
export const LAST_APPLIED_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations together may have these many bytes, keys and values. */
const ANNOTATIONS_BYTES_MAX = 256 * 1024;

/**
 * The conflicts that stay when fields whose live value is the one last applied by client-side apply are kubectl's to take. Undefined: the
 * annotation says nothing usable. (apimachinery: lastAppliedManager.)
 */
export function conflictsBeyondLastApplied(
  conflicts: Conflicts,
  live: JsonObject,
  apiVersion: string,
  schema: Schema,
): Conflicts | undefined {
  const allowed = lastAppliedFields(live, apiVersion, schema);
  if (allowed === undefined) return undefined;
  const left = new Map<string, FieldSet>();
  for (const [id, set] of conflicts) {
    const beyond = difference(set, allowed);
    if (beyond.size > 0) left.set(id, beyond);
  }
  return left;
}

function lastAppliedFields(live: JsonObject, apiVersion: string, schema: Schema): FieldSet | undefined {
  const annotation = annotationsOf(live)?.[LAST_APPLIED_ANNOTATION];
  if (typeof annotation !== 'string' || annotation === '') return undefined;
  const applied = parseObject(annotation);
  if (applied === undefined || applied.apiVersion !== apiVersion) return undefined;
  if (typeErrors(applied, schema, 'rejectDuplicates') !== undefined) return undefined;
  if (typeErrors(live, schema, 'rejectDuplicates') !== undefined) return undefined;
  const { added, modified, removed } = compareObjects(applied, live, schema);
  return [modified, added, removed].reduce(difference, collectFields(applied, schema) ?? emptySet());
}

function parseObject(text: string): JsonObject | undefined {
  try {
    return asMap(parseJson(text));
  } catch {
    return undefined; // an annotation is user text: one that is no JSON gives no rights
  }
}

function annotationsOf(object: JsonObject): JsonObject | undefined {
  return asMap(asMap(object.metadata)?.annotations);
}

/** Refreshes the annotation, where there is one, with what kubectl applies now, so that client-side apply can go on from there. */
export function refreshLastApplied(object: JsonObject, config: KubeObject): JsonObject {
  const annotations = annotationsOf(object);
  const metadata = asMap(object.metadata);
  if (metadata === undefined || annotations === undefined || !annotations[LAST_APPLIED_ANNOTATION]) return object;
  const { [LAST_APPLIED_ANNOTATION]: _old, ...others } = annotations;
  const text = `${escapeHtml(canonicalJson(withoutLastApplied(config)))}\n`;
  const refreshed = { ...annotations, [LAST_APPLIED_ANNOTATION]: text };
  return {
    ...object,
    metadata: { ...metadata, annotations: annotationBytes(refreshed) > ANNOTATIONS_BYTES_MAX ? others : refreshed },
  };
}

function withoutLastApplied(config: KubeObject): JsonObject {
  const { metadata: _metadata, ...object } = config as unknown as JsonObject;
  const { annotations, ...metadata } = asMap(config.metadata as unknown as JsonObject) ?? {};
  const all = asMap(annotations);
  if (all === undefined) return { ...object, metadata };
  const { [LAST_APPLIED_ANNOTATION]: _applied, ...others } = all;
  return { ...object, metadata: { ...metadata, annotations: others } };
}

function annotationBytes(annotations: JsonObject): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
    0,
  );
}
