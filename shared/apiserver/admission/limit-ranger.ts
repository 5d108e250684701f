/** Upstream's LimitRanger: amounts that a namespace fills in for containers, and bounds that it keeps pods and claims in. */
import { struct } from '../../apis/defaults/fill.ts';
import type { KubeObject } from '../../machinery/object.ts';
import type { AdmissionRequest, AdmissionStep, AdmissionTarget } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { applyLimitDefaults, limitProblems } from './limits-of-range.ts';
import { joinReasons, refuse } from './refuse.ts';
import { createScopeView } from './scope-view.ts';

export function limitRanger(deps: AdmissionDeps): AdmissionStep {
  const ranges = createScopeView(deps, '/limitranges');
  return {
    name: 'LimitRanger',
    concerns,
    async mutate(request) {
      const { object, old, namespace, definition } = request;
      if (!object || isGoing(old) || definition.plural !== 'pods') return;
      for (const range of await ranges.of(namespace)) {
        const set = applyLimitDefaults(struct(object, 'spec'), range);
        if (set.length === 0) continue;
        const annotations = struct(object.metadata, 'annotations');
        annotations['kubernetes.io/limit-ranger'] = `LimitRanger plugin set: ${set.join('; ')}`;
      }
    },
    validate: async (request) => {
      if (!request.object || isGoing(request.old)) return;
      for (const range of await ranges.of(request.namespace)) check(request, request.object, range);
    },
  };
}

/** New pods, claims, and pods that are resized. Other changes cannot touch what is limited. */
function concerns({ definition, operation, subresource }: AdmissionTarget): boolean {
  if (definition.group !== '' || operation === 'delete') return false;
  if (definition.plural === 'pods') return subresource === (operation === 'create' ? '' : 'resize');
  return definition.plural === 'persistentvolumeclaims' && subresource === '';
}

const isGoing = (old: KubeObject | undefined): boolean => old?.metadata.deletionTimestamp !== undefined;

function check(request: AdmissionRequest, object: KubeObject, range: KubeObject): void {
  const problems = limitProblems(request.definition.plural, object, range);
  if (problems.length > 0) throw refuse(request, joinReasons(problems));
}
