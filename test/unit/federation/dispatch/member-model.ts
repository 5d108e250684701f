/** A member in memory for one Deployment: real server-side apply and field ownership, no HTTP. */
import { builtInSchema } from '../../../../shared/apis/schemas.ts';
import type { CallOutcome, DispatchCall } from '../../../../shared/federation/dispatch/actions.ts';
import { cloneJson, deepEqual } from '../../../../shared/machinery/equality.ts';
import type { JsonValue, KubeObject } from '../../../../shared/machinery/object.ts';
import { applyConfiguration, resetFieldsOf, trackUpdate } from '../../../../shared/machinery/patch/apply/apply.ts';
import { applyMergePatch } from '../../../../shared/machinery/patch/merge.ts';

const KIND = { group: 'apps', version: 'v1', kind: 'Deployment' };

export type MemberModel = {
  call(call: DispatchCall): CallOutcome;
  /** A write by somebody else; makes the object where it is absent. */
  edit(manager: string, change: (object: KubeObject) => void): void;
  remove(): void;
  object(): KubeObject | undefined;
};

const conflict = (message: string, managers: readonly string[] = []): CallOutcome => ({ type: 'conflict', message, managers });
const missing: CallOutcome = { type: 'notFound', message: 'not found', container: false };

type State = { stored: KubeObject | undefined; version: number; uids: number };

const SCHEMA = builtInSchema('apps', 'v1', 'Deployment');
const RESET_FIELDS = resetFieldsOf(KIND, '', true);
const EMPTY: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { selector: {}, template: { spec: {} } },
};

export function memberModel(): MemberModel {
  const state: State = { stored: undefined, version: 0, uids: 0 };
  return {
    call(call) {
      if (call.type === 'read') return state.stored ? { type: 'ok', value: cloneJson(state.stored) } : missing;
      if (call.type === 'create' || call.type === 'apply') return apply(state, call.object, call.type === 'apply');
      if (call.type === 'delete') return remove(state, call.preconditions);
      return patch(state, call.patch);
    },
    edit(manager, change) {
      const next = cloneJson(state.stored ?? EMPTY);
      change(next);
      store(state, tracked(state, next, manager));
    },
    remove() {
      state.stored = undefined;
    },
    object: () => state.stored,
  };
}

function apply(state: State, config: KubeObject, force: boolean): CallOutcome {
  const { stored: live } = state;
  const { uid, resourceVersion } = config.metadata;
  if (uid !== undefined && live?.metadata.uid !== uid) return live ? conflict('uid differs') : missing;
  if (resourceVersion !== undefined && live?.metadata.resourceVersion !== resourceVersion)
    return conflict('the object has been modified');
  const how = { schema: SCHEMA, manager: 'lamiral', force, subresource: '', now: 0, resetFields: RESET_FIELDS };
  const made = applyConfiguration({ live, config, ...how });
  if (made.type === 'invalid') return { type: 'rejected', code: made.code, reason: 'Invalid', message: made.message };
  if (made.type === 'applied') return { type: 'ok', value: store(state, made.object) };
  return conflict(
    'fields are owned',
    made.conflicts.map(({ manager }) => manager),
  );
}

function patch(state: State, body: JsonValue): CallOutcome {
  if (!state.stored) return missing;
  const next = applyMergePatch(state.stored as JsonValue, body) as KubeObject;
  if (next.metadata.resourceVersion !== state.stored.metadata.resourceVersion) return conflict('the object has been modified');
  return { type: 'ok', value: store(state, tracked(state, next, 'lamiral')) };
}

function remove(state: State, { uid, resourceVersion }: { uid?: string; resourceVersion?: string }): CallOutcome {
  if (!state.stored) return missing;
  const { metadata } = state.stored;
  if (uid !== metadata.uid || resourceVersion !== metadata.resourceVersion) return conflict('precondition failed');
  state.stored = undefined;
  return { type: 'ok', value: undefined };
}

function tracked({ stored: old }: State, next: KubeObject, manager: string): KubeObject {
  const how = { schema: SCHEMA, manager, subresource: '', now: 0, resetFields: RESET_FIELDS };
  const managedFields = trackUpdate({ old, new: next, ...how });
  return { ...next, metadata: { ...next.metadata, managedFields } };
}

function store(state: State, next: KubeObject): KubeObject {
  state.version += 1;
  const isSameSpec = state.stored !== undefined && deepEqual(state.stored.spec, next.spec);
  if (!state.stored) state.uids += 1;
  const { uid = `uid-${state.uids}`, generation = 0 } = state.stored?.metadata ?? {};
  const identity = { uid, generation: isSameSpec ? generation : generation + 1, resourceVersion: String(state.version) };
  state.stored = { ...next, metadata: { ...next.metadata, ...identity } };
  return cloneJson(state.stored);
}
