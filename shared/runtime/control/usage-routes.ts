/** What wakes the controllers that watch over use: quotas, disruption budgets, protection of storage, binding of claims. */
import { fromStored, type ObjectRef } from '../../apis/stored.ts';
import { type LabelSelector, labelSelectorRequirements, matchesLabels, type Requirement } from '../../machinery/selectors.ts';
import type { FeedEntry } from '../../ports/object-store.ts';
import { listStored } from '../objects.ts';
import { createScopeCache } from '../scope-cache.ts';
import { CONTROLLER_WRITER, type ControlRoute, type RouteDeps } from './router.ts';

const QUOTAS = '/resourcequotas';
const PODS = '/pods';
const BUDGETS = 'policy/poddisruptionbudgets';
const CLAIMS = '/persistentvolumeclaims';
const VOLUMES = '/persistentvolumes';
const ATTRIBUTE_CLASSES = 'storage.k8s.io/volumeattributesclasses';

/** Objects whose changes may give back what they used: others only do by going. */
const MEASURED: ReadonlySet<string> = new Set([PODS, '/services', CLAIMS]);

/**
 * Quotas of a namespace in which something went, or changed what it uses. What is created through the API was charged at admission; what a controller
 * makes goes around it, and is counted here.
 */
export function quotaRoute(deps: RouteDeps): ControlRoute {
  const quotas = createScopeCache(
    deps,
    QUOTAS,
    ({ namespace, name }): ObjectRef => ({ scope: QUOTAS, namespace, name }),
    (all) => Map.groupBy(all, ({ namespace }) => namespace),
  );
  return {
    controller: 'quota',
    scopes: '*',
    async targets(entry) {
      if (entry.namespace === '') return [];
      const isOwn = entry.scope === QUOTAS && entry.writer === CONTROLLER_WRITER && entry.type !== 'deleted';
      if (isOwn || !mayMatter(entry)) return [];
      return (await quotas.all()).get(entry.namespace) ?? [];
    },
    resync: [QUOTAS],
  };
}

function mayMatter({ scope, type, writer }: FeedEntry): boolean {
  if (scope === QUOTAS || type === 'deleted') return true;
  return type === 'added' ? writer !== 'api' : MEASURED.has(scope);
}

type Budget = ObjectRef & { requirements: readonly Requirement[] | undefined };

/** Budgets, and those that select a pod that changed. Of a pod that is gone only its namespace is known. */
export function disruptionRoute(deps: RouteDeps): ControlRoute {
  const budgets = createScopeCache(
    deps,
    BUDGETS,
    (stored): Budget => {
      const { namespace, name } = stored;
      return { scope: BUDGETS, namespace, name, requirements: readSelector(fromStored(stored).spec?.selector) };
    },
    (all) => Map.groupBy(all, ({ namespace }) => namespace),
  );
  return {
    controller: 'disruption',
    scopes: [BUDGETS, PODS],
    async targets(entry) {
      if (entry.scope === BUDGETS) return entry.type === 'deleted' || entry.writer === CONTROLLER_WRITER ? [] : [entry];
      const here = (await budgets.all()).get(entry.namespace);
      if (!here) return [];
      const labels = entry.type === 'deleted' ? undefined : (await deps.objects.get(entry))?.labels;
      return here.filter(({ requirements }) => !labels || (requirements && matchesLabels(requirements, labels)));
    },
    resync: [BUDGETS],
  };
}

function readSelector(selector: LabelSelector | undefined): Requirement[] | undefined {
  if (!selector) return undefined;
  try {
    return labelSelectorRequirements(selector);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Protected objects on their way out, and what may hold them; claims and volumes that are to find each other. */
export function storageRoutes(deps: RouteDeps): ControlRoute[] {
  const going = (scope: string) =>
    createScopeCache(
      deps,
      scope,
      (stored) => ({ ref: refOf(scope, stored), isGoing: stored.body.includes('"deletionTimestamp"') }),
      (all) => all.filter(({ isGoing }) => isGoing).map(({ ref }) => ref),
    );
  const [claims, classes] = [going(CLAIMS), going(ATTRIBUTE_CLASSES)];
  const protection: ControlRoute = {
    controller: 'protection',
    scopes: [PODS, CLAIMS, VOLUMES, ATTRIBUTE_CLASSES],
    async targets(entry) {
      if (entry.scope === PODS) return (await claims.all()).filter(({ namespace }) => namespace === entry.namespace);
      const own = entry.type === 'modified' ? [entry] : [];
      if (entry.scope === CLAIMS) return [...own, ...(await classes.all())];
      return own;
    },
    resync: [CLAIMS, VOLUMES],
  };
  const waiting = createScopeCache(
    deps,
    CLAIMS,
    (stored) => ({ ref: refOf(CLAIMS, stored), waits: !stored.body.includes('"phase":"Bound"') }),
    (all) => all.filter(({ waits }) => waits).map(({ ref }) => ref),
  );
  const binder: ControlRoute = {
    controller: 'volume-binder',
    scopes: [CLAIMS, VOLUMES, PODS],
    async targets(entry) {
      if (entry.scope !== PODS) return toBind(deps, entry);
      // A pod may be what a claim of its namespace waits for.
      return entry.type === 'added' ? (await waiting.all()).filter(({ namespace }) => namespace === entry.namespace) : [];
    },
    resync: [CLAIMS, VOLUMES],
  };
  return [protection, binder];
}

const refOf = (scope: string, { namespace, name }: { namespace: string; name: string }): ObjectRef => ({
  scope,
  namespace,
  name,
});

/** The object itself; with a volume the claims that wait, with a claim the volumes that it may have held. */
async function toBind(deps: RouteDeps, entry: FeedEntry): Promise<ObjectRef[]> {
  const own = entry.type === 'deleted' ? [] : [refOf(entry.scope, entry)];
  if (entry.scope === CLAIMS) return [...own, ...(await listWhere(deps, VOLUMES, (body) => body.includes(`"${entry.name}"`)))];
  if (entry.scope === VOLUMES)
    return [
      ...own,
      ...(await listWhere(deps, CLAIMS, (body) => !body.includes('"phase":"Bound"') || body.includes(`"${entry.name}"`))),
    ];
  return [];
}

async function listWhere(deps: RouteDeps, scope: string, matches: (body: string) => boolean): Promise<ObjectRef[]> {
  const found: ObjectRef[] = [];
  for await (const stored of listStored(deps.objects, scope)) if (matches(stored.body)) found.push(refOf(scope, stored));
  return found;
}
