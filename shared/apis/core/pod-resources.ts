/** What a pod asks for as a whole (k8s.io/component-helpers/resource): containers add up, init containers count by their peak, sidecars stay. Pure. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Struct } from '../defaults/fill.ts';
import { addLists, maskList, maxLists, type ResourceList, resourceList } from './resource-list.ts';

/** Resources that a pod may state for itself; they stand in the place of the sum. */
const POD_LEVEL = new Set(['cpu', 'memory']);
const NOTHING: ResourceList = new Map();

/** Sum of requests; `overhead` of the pod's RuntimeClass counts unless left out. */
export function podRequests(pod: KubeObject, options: { overhead: boolean } = { overhead: true }): ResourceList {
  const total = podSum(pod, 'requests');
  return options.overhead ? addLists(total, resourceList(pod.spec?.overhead)) : total;
}

/** Sum of limits. Overhead adds only to what is limited at all. */
export function podLimits(pod: KubeObject, options: { overhead: boolean } = { overhead: true }): ResourceList {
  const total = podSum(pod, 'limits');
  return options.overhead ? addLists(total, maskList(resourceList(pod.spec?.overhead), total)) : total;
}

function podSum(pod: KubeObject, kind: 'requests' | 'limits'): ResourceList {
  const of = (container: Struct) => resourceList(container?.resources?.[kind]);
  let total = listOf(pod.spec?.containers).reduce((sum: ResourceList, container) => addLists(sum, of(container)), NOTHING);
  let sidecars = NOTHING;
  let peak = NOTHING;
  for (const container of listOf(pod.spec?.initContainers)) {
    const own = of(container);
    if (container?.restartPolicy !== 'Always') {
      peak = maxLists(peak, addLists(own, sidecars));
      continue;
    }
    total = addLists(total, own);
    sidecars = addLists(sidecars, own);
    peak = maxLists(peak, sidecars);
  }
  const needed = maxLists(total, peak);
  const stated = maskList(resourceList(pod.spec?.resources?.[kind]), POD_LEVEL);
  return stated.size === 0 ? needed : new Map([...needed, ...stated]);
}

function listOf(value: unknown): readonly Struct[] {
  return Array.isArray(value) ? value : [];
}
