/**
 * Upstream's ResourceQuota: what a write adds is charged to every quota of its namespace that counts it, or the write is refused. The charge is stored before
 * the object, under compare-and-set; the quota controller counts anew when something goes.
 */

import { prepareUpdate } from '../../apis/lifecycle.ts';
import { type QuotaCharge, quotaCharges } from '../../apis/quota/charge.ts';
import { fromStored, type StoredObject, storedScope, toStored } from '../../apis/stored.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { conflict, internalError, OBJECT_WAS_MODIFIED } from '../../machinery/status.ts';
import type { WriteOperation } from '../../ports/object-store.ts';
import { QUOTAS_PER_WRITE_MAX, WRITE_ATTEMPTS_MAX } from '../limits.ts';
import type { AdmissionRequest, AdmissionStep, AdmissionTarget } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { refuse } from './refuse.ts';
import { createScopeView } from './scope-view.ts';

const SCOPE = '/resourcequotas';

export function resourceQuota(deps: AdmissionDeps): AdmissionStep {
  const quotas = createScopeView(deps, SCOPE);
  return {
    name: 'ResourceQuota',
    concerns,
    async validate(request) {
      const { namespace, object } = request;
      if (!object || (await quotas.of(namespace)).length === 0) return;
      if (await isTaken(deps, request)) return;
      for (let attempt = 1; attempt <= WRITE_ATTEMPTS_MAX; attempt += 1) if (await charge(deps, request, object)) return;
      throw conflict({ group: '', resource: 'resourcequotas' }, '', OBJECT_WAS_MODIFIED);
    },
  };
}

/** Creations of what is counted; changes only where they may change what is used. */
function concerns({ definition, operation, subresource }: AdmissionTarget): boolean {
  const { group, plural, namespaced, virtual } = definition;
  if (!namespaced || virtual || plural === 'events' || operation === 'delete') return false;
  if (operation === 'create') return subresource === '';
  if (group !== '') return false;
  if (plural === 'services') return subresource === '';
  if (plural === 'persistentvolumeclaims') return subresource === '' || subresource === 'status';
  return plural === 'pods' && (subresource === '' || subresource === 'resize');
}

/** A creation that will fail because of its name must not be charged. */
async function isTaken({ store }: AdmissionDeps, { definition, operation, namespace, name }: AdmissionRequest): Promise<boolean> {
  if (operation !== 'create') return false;
  return (await store.objects.get({ scope: storedScope(definition), namespace, name })) !== undefined;
}

/** One attempt on what is stored now; false: somebody charged the same quota meanwhile. */
async function charge(deps: AdmissionDeps, request: AdmissionRequest, object: KubeObject): Promise<boolean> {
  const { definition, operation, namespace, subresource, old } = request;
  const page = await deps.store.objects.list({ scope: SCOPE, namespace });
  if (page.type !== 'page') throw internalError(`the quotas of namespace ${namespace} cannot be read: ${page.type}`);
  const stored = new Map(page.items.map((item) => [item.name, item]));
  const outcome = quotaCharges({
    quotas: page.items.map((item) => fromStored(item)),
    kind: definition,
    object,
    ...(operation === 'update' && old ? { old } : {}),
    isStatus: subresource === 'status',
    now: deps.clock.now(),
  });
  if (outcome.type === 'refused') throw refuse(request, outcome.why);
  if (request.dryRun) return true;
  return store(deps, outcome.charges, stored);
}

async function store(
  deps: AdmissionDeps,
  charges: readonly QuotaCharge[],
  stored: ReadonlyMap<string, StoredObject>,
): Promise<boolean> {
  const operations = charges.flatMap(({ quota, used }) => {
    const from = stored.get(quota.metadata.name ?? '');
    return from ? [operationOf(deps, from, { ...quota, status: { ...quota.status, used } })] : [];
  });
  for (let start = 0; start < operations.length; start += QUOTAS_PER_WRITE_MAX) {
    const batch = operations.slice(start, start + QUOTAS_PER_WRITE_MAX);
    const outcome = await deps.store.objects.write({ operations: batch, writer: 'controller' });
    if (outcome.type !== 'committed') return false;
  }
  return true;
}

function operationOf(deps: AdmissionDeps, from: StoredObject, quota: KubeObject): WriteOperation {
  const definition = deps.registry().byScope(SCOPE);
  if (!definition) throw new Error('ResourceQuotas are not served');
  const next = prepareUpdate(definition, quota, fromStored(from), { now: deps.clock.now(), subresource: 'status' });
  const object = { ...toStored(definition, next), managedFields: from.managedFields };
  return { type: 'update', object, expected: from.resourceVersion };
}
