/**
 * Upstream's ResourceQuota: what a write adds is charged to every quota of its namespace that counts it, or the write is refused. Charge and object are
 * stored in one step, so that whoever counts sees both or neither; the quota controller counts anew when something goes.
 */

import { prepareUpdate } from '../../apis/lifecycle.ts';
import { quotaCharges } from '../../apis/quota/charge.ts';
import { fromStored, type StoredObject, toStored } from '../../apis/stored.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { internalError } from '../../machinery/status.ts';
import type { WriteOperation } from '../../ports/object-store.ts';
import { QUOTAS_PER_WRITE_MAX } from '../limits.ts';
import type { AdmissionRequest, AdmissionStep, AdmissionTarget } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { refuse } from './refuse.ts';
import { createPresence } from './scope-view.ts';

const SCOPE = '/resourcequotas';

export function resourceQuota(deps: AdmissionDeps): AdmissionStep {
  const quotas = createPresence(deps, SCOPE);
  return {
    name: 'ResourceQuota',
    concerns,
    async validate(request) {
      const { object } = request;
      if (!object || !(await quotas.any())) return;
      if (request.dryRun) await charge(deps, request, object);
      else request.alongside = async () => beyond(deps, await charge(deps, request, object));
    },
  };
}

/** What does not fit into the object's own step is charged before it: the controller puts right what is then charged in vain. */
async function beyond(deps: AdmissionDeps, operations: readonly WriteOperation[]): Promise<readonly WriteOperation[]> {
  const rest = operations.slice(QUOTAS_PER_WRITE_MAX);
  for (const operation of rest) await deps.store.objects.write({ operations: [operation], writer: 'controller' });
  return operations.slice(0, QUOTAS_PER_WRITE_MAX);
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

/** The quotas as they are to be with this write, read now. Throws 403 when one has no room. */
async function charge(deps: AdmissionDeps, request: AdmissionRequest, object: KubeObject): Promise<WriteOperation[]> {
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
  return outcome.charges.flatMap(({ quota, used }) => {
    const from = stored.get(quota.metadata.name ?? '');
    return from ? [operationOf(deps, from, { ...quota, status: { ...quota.status, used } })] : [];
  });
}

function operationOf(deps: AdmissionDeps, from: StoredObject, quota: KubeObject): WriteOperation {
  const definition = deps.registry().byScope(SCOPE);
  if (!definition) throw new Error('ResourceQuotas are not served');
  const next = prepareUpdate(definition, quota, fromStored(from), { now: deps.clock.now(), subresource: 'status' });
  const object = { ...toStored(definition, next), managedFields: from.managedFields };
  return { type: 'update', object, expected: from.resourceVersion };
}
