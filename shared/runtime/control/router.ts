/**
 * From changed keys to the controllers of the API itself: which controller is to look at which object. The relay asks for the control plane, and every
 * simulated member for itself. Level-triggered: a target that is named once too often costs a read, one that is missed stays wrong.
 */
import type { ObjectRef } from '../../apis/stored.ts';
import type { FeedEntry, Lanes, ObjectStore } from '../../ports/object-store.ts';

/** Who writes when a controller does: routes pass over most of what they wrote themselves, and nothing of it is federated. */
export const CONTROLLER_WRITER = 'controller';

export type ControlTarget = { controller: string; object: ObjectRef };

export type RouteDeps = { objects: Pick<ObjectStore, 'get' | 'list' | 'changes'>; lanes: Pick<Lanes, 'head'> };

/** One controller's interest in changes. */
export type ControlRoute = {
  controller: string;
  /** Scopes whose changes it looks at; `*`: all. */
  scopes: readonly string[] | '*';
  /** The objects to look at after a change. */
  targets(entry: FeedEntry): readonly ObjectRef[] | Promise<readonly ObjectRef[]>;
  /** Scopes whose every object is looked at when a process starts without knowing what it missed, and now and then. */
  resync?: readonly string[];
};

export type ControlRouter = {
  /** Rejects when the store fails. */
  targetsOf(entry: FeedEntry): Promise<readonly ControlTarget[]>;
  /** Targets for an object as it stands: what `resync` asks for. */
  resyncOf(object: ObjectRef): readonly ControlTarget[];
  /** Scopes for whose objects `resyncOf` names anything. */
  resyncScopes: readonly string[];
};

export function createControlRouter(routes: readonly ControlRoute[]): ControlRouter {
  const everywhere = routes.filter(({ scopes }) => scopes === '*');
  const byScope = new Map<string, ControlRoute[]>();
  for (const route of routes)
    for (const scope of route.scopes === '*' ? [] : route.scopes) byScope.set(scope, [...(byScope.get(scope) ?? []), route]);
  return {
    async targetsOf(entry) {
      const targets: ControlTarget[] = [];
      for (const route of [...(byScope.get(entry.scope) ?? []), ...everywhere])
        for (const { scope, namespace, name } of await route.targets(entry))
          targets.push({ controller: route.controller, object: { scope, namespace, name } });
      return targets;
    },
    resyncScopes: [...new Set(routes.flatMap(({ resync }) => resync ?? []))],
    resyncOf: ({ scope, namespace, name }) =>
      routes
        .filter((route) => route.resync?.includes(scope))
        .map(({ controller }) => ({ controller, object: { scope, namespace, name } })),
  };
}
