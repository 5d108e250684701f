/** Admission of namespaces: nothing is created where there is no namespace or where it is being deleted, and some may not be deleted. */
import type { ResourceDefinition } from '../../apis/definition.ts';
import { fromStored } from '../../apis/stored.ts';
import { failure, forbidden, notFound } from '../../machinery/status.ts';
import type { Store } from '../../ports/object-store.ts';
import type { Clock } from '../../ports/system.ts';
import { NAMESPACE_CACHE_ENTRIES_MAX, NAMESPACE_CACHE_MS } from '../limits.ts';
import type { AdmissionRequest, AdmissionStep } from '../server.ts';

const SCOPE = '/namespaces';
const NAMESPACES = { group: '', resource: 'namespaces' };
const PROTECTED = new Set(['default', 'kube-system', 'kube-public']);

type Deps = { store: Pick<Store, 'objects' | 'lanes'>; clock: Clock };

/**
 * Upstream's NamespaceLifecycle. A namespace that was seen alive is believed to be for 5 s, unless this process hears of a change;
 * a miss is always confirmed by reading.
 */
export function namespaceLifecycle(deps: Deps): AdmissionStep {
  const aliveAt = new Map<string, number>();
  deps.store.lanes.onCommit((scopes) => {
    if (scopes.includes(SCOPE)) aliveAt.clear();
  });
  return {
    name: 'NamespaceLifecycle',
    concerns: ({ definition, operation }) =>
      operation === 'delete' ? isNamespace(definition) : operation === 'create' && definition.namespaced && !definition.virtual,
    mutate: (request) => admit(deps, aliveAt, request),
  };
}

async function admit(deps: Deps, aliveAt: Map<string, number>, request: AdmissionRequest): Promise<void> {
  const { operation, namespace, name } = request;
  if (operation === 'delete') {
    if (PROTECTED.has(name)) throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
    return;
  }
  const now = deps.clock.now();
  const seen = aliveAt.get(namespace);
  if (seen !== undefined && now - seen < NAMESPACE_CACHE_MS) return;
  const stored = await deps.store.objects.get({ scope: SCOPE, namespace: '', name: namespace });
  if (stored === undefined) throw notFound(NAMESPACES, namespace);
  if (fromStored(stored).metadata.deletionTimestamp) throw terminating(request);
  if (aliveAt.size >= NAMESPACE_CACHE_ENTRIES_MAX) aliveAt.clear();
  aliveAt.set(namespace, now);
}

function isNamespace({ group, plural }: ResourceDefinition): boolean {
  return group === '' && plural === 'namespaces';
}

/** Clients look at the cause (Helm, Flux), not at the sentence. */
function terminating({ definition, namespace, name }: AdmissionRequest) {
  const resource = { group: definition.group, resource: definition.plural };
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const { status } = forbidden(resource, name, why);
  const cause = {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being terminated`,
    field: 'metadata.namespace',
  };
  return failure(status.code, status.reason, status.message, { ...status.details, causes: [cause] });
}
