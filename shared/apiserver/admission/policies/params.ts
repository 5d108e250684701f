/** Parameters of a policy: the objects that a binding points to (CollectParams of k8s.io/apiserver/pkg/admission/plugin/policy/generic). */
import type { ResourceDefinition } from '../../../apis/definition.ts';
import { fromStored, storedScope } from '../../../apis/stored.ts';
import type { KubeObject } from '../../../machinery/object.ts';
import { formatApiVersion, parseApiVersion } from '../../../machinery/resource.ts';
import { labelSelectorRequirements, matchesLabels } from '../../../machinery/selectors.ts';
import { LIST_PAGE_MAX } from '../../limits.ts';
import { convertVersion } from '../../resources/storage.ts';
import type { AdmissionDeps } from '../chain.ts';
import type { ParamKind, ParamRef } from './hooks.ts';

type Deps = Pick<AdmissionDeps, 'store' | 'registry'>;
/** `[undefined]`: validate once, without parameters. */
export type Params = { type: 'params'; params: readonly (KubeObject | undefined)[] } | { type: 'error'; message: string };

const NONE: Params = { type: 'params', params: [undefined] };
const failed = (message: string): Params => ({ type: 'error', message });

/** `namespace`: that of the request, where a parameter is looked for when the binding names none. */
export async function collectParams(
  deps: Deps,
  kind: ParamKind | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): Promise<Params> {
  if (!kind || !ref) return NONE;
  const { group, version } = parseApiVersion(kind.apiVersion);
  const definition = deps.registry().byKind(group, version, kind.kind);
  if (!definition) {
    const shown = `${kind.apiVersion}, Kind=${kind.kind}`;
    return failed(`failed to find resource referenced by paramKind: '${shown}'`);
  }
  if (!definition.namespaced && ref.namespace)
    return failed('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const where = definition.namespaced ? ref.namespace || namespace : '';
  if (definition.namespaced && where === '')
    return failed('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const params = ref.name ? await readOne(deps, definition, where, ref.name) : await readSelected(deps, definition, where, ref);
  if (params.length === 0 && ref.parameterNotFoundAction === 'Deny')
    return failed('no params found for policy binding with `Deny` parameterNotFoundAction');
  return { type: 'params', params };
}

function inVersion(deps: Deps, definition: ResourceDefinition, object: KubeObject): KubeObject {
  const apiVersion = formatApiVersion(definition.group, definition.version);
  if (object.apiVersion === apiVersion) return object;
  return (convertVersion(deps.registry(), object as never, apiVersion)?.object as unknown as KubeObject | undefined) ?? object;
}

async function readOne(deps: Deps, definition: ResourceDefinition, namespace: string, name: string): Promise<KubeObject[]> {
  const stored = await deps.store.objects.get({ scope: storedScope(definition), namespace, name });
  return stored ? [inVersion(deps, definition, fromStored(stored))] : [];
}

async function readSelected(deps: Deps, definition: ResourceDefinition, namespace: string, ref: ParamRef): Promise<KubeObject[]> {
  const requirements = labelSelectorRequirements(ref.selector ?? {});
  const where = { scope: storedScope(definition), ...(namespace === '' ? {} : { namespace }), limit: LIST_PAGE_MAX };
  const found: KubeObject[] = [];
  let page = await deps.store.objects.list(where);
  for (;;) {
    if (page.type !== 'page') throw new Error(`the objects of ${where.scope} cannot be listed: ${page.type}`);
    for (const stored of page.items)
      if (matchesLabels(requirements, stored.labels)) found.push(inVersion(deps, definition, fromStored(stored)));
    if (!page.next) return found;
    page = await deps.store.objects.list({ ...where, from: page.next });
  }
}
