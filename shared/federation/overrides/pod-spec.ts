/** Where the pod spec lies in the kinds that have one. */
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';

const STEPS_BY_KIND: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['spec', 'template', 'spec'],
  StatefulSet: ['spec', 'template', 'spec'],
  DaemonSet: ['spec', 'template', 'spec'],
  Job: ['spec', 'template', 'spec'],
  CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  Pod: ['spec'],
};

/** A pod spec and the JSON pointer to it. */
export type PodSpecAt = { pointer: string; spec: JsonObject };

/** One container, with the JSON pointer to it. */
export type ContainerAt = { pointer: string; container: JsonObject };

/** The pod spec of a Deployment, StatefulSet, DaemonSet, Job, CronJob or Pod; undefined for other kinds. A missing one reads as empty. */
export function podSpecOf(object: KubeObject): PodSpecAt | undefined {
  const steps = Object.hasOwn(STEPS_BY_KIND, object.kind) ? STEPS_BY_KIND[object.kind] : undefined;
  if (!steps) return undefined;
  let current: JsonValue | undefined = object as JsonObject;
  for (const step of steps) current = isJsonObject(current) && Object.hasOwn(current, step) ? current[step] : undefined;
  return { pointer: `/${steps.join('/')}`, spec: isJsonObject(current) ? current : {} };
}

/** Init containers first, then containers: the order in which a name is looked up. */
export function containersOf({ pointer, spec }: PodSpecAt): ContainerAt[] {
  return ['initContainers', 'containers'].flatMap((list) => {
    const items = spec[list];
    if (!Array.isArray(items)) return [];
    return items.flatMap((item, index) =>
      isJsonObject(item) ? [{ pointer: `${pointer}/${list}/${index}`, container: item }] : [],
    );
  });
}

/** True for JSON objects: neither lists nor scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
