/** What wakes the controllers of endpoints and Service addresses. */
import type { ObjectRef, StoredObject } from '../../apis/stored.ts';
import { fromStored } from '../../apis/stored.ts';
import type { FeedEntry } from '../../ports/object-store.ts';
import { createScopeCache, type ScopeCache } from '../scope-cache.ts';
import { CONTROLLER_WRITER, type ControlRoute, type RouteDeps } from './router.ts';

const SERVICES = '/services';
const ENDPOINTS = '/endpoints';
const SLICES = 'discovery.k8s.io/endpointslices';
const PODS = '/pods';
const SERVICE_NAME = 'kubernetes.io/service-name';

/** Services that select pods, by namespace. */
type Selecting = { namespace: string; name: string; selector: readonly (readonly [string, string])[] };

export function endpointRoutes(deps: RouteDeps): ControlRoute[] {
  const selecting = createScopeCache(
    deps,
    SERVICES,
    (stored) => selectingOf(stored),
    (all) =>
      Map.groupBy(
        all.filter((each) => each !== undefined),
        ({ namespace }) => namespace,
      ),
  );
  return [
    {
      controller: 'endpoints',
      scopes: [SERVICES, PODS, ENDPOINTS, SLICES],
      targets: (entry) => (entry.scope === PODS ? servicesOfPod(deps, selecting, entry) : livingServicesOf(deps, entry)),
      resync: [SERVICES],
    },
    {
      controller: 'endpoint-mirror',
      scopes: [SERVICES, ENDPOINTS, SLICES],
      targets: async (entry) => (await servicesOf(deps, entry, true)).map((ref) => ({ ...ref, scope: ENDPOINTS })),
    },
    { controller: 'service-address', scopes: [SERVICES], targets: (entry) => [entry] },
    {
      controller: 'service-cidr',
      scopes: ['networking.k8s.io/servicecidrs'],
      targets: (entry) => (entry.type === 'deleted' ? [] : [entry]),
      resync: ['networking.k8s.io/servicecidrs'],
    },
  ];
}

function selectingOf(stored: StoredObject): Selecting | undefined {
  const selector = Object.entries((fromStored(stored).spec?.selector ?? {}) as Record<string, string>);
  return selector.length === 0 ? undefined : { namespace: stored.namespace, name: stored.name, selector };
}

/** Of a pod that is gone only its namespace is known: then all are looked at. */
async function servicesOfPod(
  deps: RouteDeps,
  selecting: ScopeCache<ReadonlyMap<string, readonly Selecting[]>>,
  entry: FeedEntry,
): Promise<ObjectRef[]> {
  const here = (await selecting.all()).get(entry.namespace);
  if (!here) return [];
  const labels = entry.type === 'deleted' ? undefined : (await deps.objects.get(entry))?.labels;
  return here
    .filter(({ selector }) => labels === undefined || selector.every(([key, value]) => labels[key] === value))
    .map(({ namespace, name }) => ({ scope: SERVICES, namespace, name }));
}

/**
 * Endpoints that were never a Service's are somebody's own and nobody looks at them: with a Service that is gone, what bears its name goes.
 */
async function livingServicesOf(deps: RouteDeps, entry: FeedEntry): Promise<ObjectRef[]> {
  const [service] = await servicesOf(deps, entry);
  if (!service || entry.scope === SERVICES) return service ? [service] : [];
  return (await deps.objects.get(service)) ? [service] : [];
}

/** The Service itself, or the one that Endpoints and slices belong to where somebody else changed them. */
async function servicesOf(deps: RouteDeps, entry: FeedEntry, alsoOwn = false): Promise<ObjectRef[]> {
  const { scope, namespace, name } = entry;
  if (scope === SERVICES) return [{ scope, namespace, name }];
  if (entry.writer === CONTROLLER_WRITER && entry.type !== 'deleted' && !(alsoOwn && scope === ENDPOINTS)) return [];
  if (scope === ENDPOINTS) return [{ scope: SERVICES, namespace, name }];
  const service = (await deps.objects.get(entry))?.labels[SERVICE_NAME] ?? serviceOfSlice(name);
  return service ? [{ scope: SERVICES, namespace, name: service }] : [];
}

/** The name of a slice that is gone begins with its Service's; five characters follow. */
function serviceOfSlice(name: string): string {
  return /^(.+)-[^-]{1,10}$/.exec(name)?.[1] ?? '';
}
