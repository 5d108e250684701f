/** Objects of a scope in the form that admission works with: each version is compiled once. */
import type { KubeObject } from '../../machinery/object.ts';
import type { AdmissionDeps } from './chain.ts';
import { createScopeView } from './scope-view.ts';

/** What was compiled, in the order of names; the same list as long as nothing changed. */
export type CompiledView<T> = () => Promise<readonly T[]>;

/** Compiles on first use; what did not change since is taken over. */
export function createCompiledView<T>(
  deps: Pick<AdmissionDeps, 'store' | 'clock'>,
  scope: string,
  compile: (object: KubeObject) => T,
): CompiledView<T> {
  const view = createScopeView(deps, scope);
  let source: readonly KubeObject[] = [];
  let known = new Map<string, T>();
  let compiled: readonly T[] = [];
  return async () => {
    const objects = await view.all();
    if (objects === source) return compiled;
    const next = new Map<string, T>();
    for (const object of objects) {
      const key = `${object.metadata.uid}/${object.metadata.resourceVersion}`;
      next.set(key, known.get(key) ?? compile(object));
    }
    source = objects;
    known = next;
    compiled = [...next.values()];
    return compiled;
  };
}
