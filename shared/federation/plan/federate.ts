/** The federate step: from a source to the template, labels and annotations of its FederatedObject. KubeAdmiral's rules. */
import { stringifyJson } from '../../machinery/codec/json.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import {
  IGNORED_ANNOTATIONS,
  MOVED_ANNOTATIONS,
  MOVED_LABELS,
  OBSERVED_ANNOTATIONS,
  OBSERVED_LABELS,
  TEMPLATE_MERGE_PATCH,
} from './keys.ts';

/** What the source alone decides. `moved` are the annotations that left the template. */
export type Federated = {
  template: KubeObject;
  labels: Record<string, string>;
  moved: Record<string, string>;
  bookkeeping: Record<string, string>;
};

/** Members of `metadata` that belong to the host's own copy. */
const HOST_METADATA: ReadonlySet<string> = new Set([
  'selfLink',
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
]);

type Strings = Record<string, string>;

/** Splits a source. The template shares parts with the source: neither may be changed afterwards. */
export function federate(source: KubeObject): Federated {
  const { apiVersion, kind, metadata, status, ...rest } = source;
  const annotations = split(metadata.annotations ?? {}, MOVED_ANNOTATIONS, IGNORED_ANNOTATIONS);
  const labels = split(metadata.labels ?? {}, MOVED_LABELS, new Set());
  const kept: JsonObject = {};
  const patched: JsonObject = {};
  for (const [key, value] of Object.entries(metadata)) {
    if (!HOST_METADATA.has(key)) kept[key] = value as JsonValue;
    else if (key !== 'managedFields') patched[key] = null;
  }
  const template = {
    apiVersion,
    kind,
    metadata: { ...kept, labels: labels.others, annotations: annotations.others },
    ...rest,
  };
  patched.annotations = removals(metadata.annotations, annotations.others);
  patched.labels = removals(metadata.labels, labels.others);
  const mergePatch = { metadata: withoutAbsent(patched), ...(status === undefined ? {} : { status: null }) };
  return {
    template,
    labels: { ...labels.moved, [apiVersion]: kind },
    moved: annotations.moved,
    bookkeeping: {
      [OBSERVED_ANNOTATIONS]: observed(annotations),
      [OBSERVED_LABELS]: observed(labels),
      [TEMPLATE_MERGE_PATCH]: stringifyJson(mergePatch),
    },
  };
}

function split(all: Strings, moving: ReadonlySet<string>, ignored: ReadonlySet<string>): { moved: Strings; others: Strings } {
  const moved: Strings = {};
  const others: Strings = {};
  for (const [key, value] of Object.entries(all)) {
    if (moving.has(key)) moved[key] = value;
    else if (!ignored.has(key)) others[key] = value;
  }
  return { moved, others };
}

/** `moved,keys|other,keys`, sorted; empty when there are none. */
function observed({ moved, others }: { moved: Strings; others: Strings }): string {
  const [left, right] = [Object.keys(moved).sort(), Object.keys(others).sort()];
  return left.length + right.length === 0 ? '' : `${left.join(',')}|${right.join(',')}`;
}

/** The merge patch of a map that only loses keys; an absent map becomes an empty one. */
function removals(before: Strings | undefined, after: Strings): JsonValue | undefined {
  if (!before) return {};
  const gone = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  return gone.length === 0 ? undefined : Object.fromEntries(gone.sort().map((key) => [key, null]));
}

function withoutAbsent(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
