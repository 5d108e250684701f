/** Events about failures, per cluster, on the object that the user applied. */
import type { DispatchRecord } from '../../shared/federation/records.ts';
import { SCOPES, sourceOf } from '../../shared/federation/type-config.ts';
import { eventOperation } from '../../shared/runtime/events.ts';
import type { DispatcherDeps } from './deps.ts';
import type { Job } from './load.ts';

/** States that need a user's or an admin's attention. Work that waits by itself needs none. */
const TROUBLE = new Set([
  'ComputeResourceFailed',
  'ApplyOverridesFailed',
  'CreationFailed',
  'UpdateFailed',
  'DeletionFailed',
  'LabelRemovalFailed',
  'RetrievalFailed',
  'AlreadyExists',
  'ManagedLabelFalse',
  'CreationTimedOut',
  'UpdateTimedOut',
  'DeletionTimedOut',
  'OwnershipDispute',
]);

/** Writes one Warning when the record came into trouble, or into another trouble, with this round. */
export async function tellTrouble(deps: DispatcherDeps, job: Job, cluster: string, record: DispatchRecord | null): Promise<void> {
  if (!record || !job.federated || !TROUBLE.has(record.state)) return;
  if (job.record?.state === record.state && job.record.message === record.message) return;
  const origin = sourceOf(await deps.types.all(), job.federated.object);
  const involved = (origin && (await deps.reader.get(origin.ref))?.object) ?? job.federated.object;
  const definition = deps.registry().byScope(SCOPES.events);
  if (!definition) return;
  const message = `${cluster}: ${record.message ?? record.state}`;
  const operation = await eventOperation(
    { reader: deps.reader, definition },
    involved,
    { type: 'Warning', reason: record.state, message, step: 'sent' },
    { now: deps.clock.now(), uid: deps.ids.uid() },
  );
  // A lost race means that somebody else tells the same.
  if (operation) await deps.objects.write({ operations: [operation], writer: 'dispatcher' });
}
