/** What must not travel from the host to a member, kind by kind: members choose these for themselves. */
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { getPath } from '../../machinery/paths.ts';
import { isJsonObject } from '../overrides/pod-spec.ts';

const CONTROLLER_UID_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
/** Written by the member's own Deployment controller. */
const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';

const TWEAKS: Readonly<Record<string, (object: KubeObject) => void>> = {
  'batch/Job': tweakJob,
  'apps/Deployment': (object) => dropFrom(object.metadata.annotations as JsonObject, REVISION_ANNOTATION),
  '/Service': tweakService,
  '/ServiceAccount': tweakServiceAccount,
  '/Pod': (object) => dropFrom(object.spec, 'ephemeralContainers'),
  // The namespace controller of each member keeps its own.
  '/Namespace': (object) => dropFrom(object.spec, 'finalizers'),
};

/** Changes `object` in place. */
export function tweakForMembers(object: KubeObject, group: string): void {
  const key = `${group}/${object.kind}`;
  if (Object.hasOwn(TWEAKS, key)) TWEAKS[key]?.(object);
}

/** The selector of a Job is made by each member from the uid that its own copy gets, unless the user chose it. */
function tweakJob(object: KubeObject): void {
  if (object.spec?.manualSelector === true) return;
  for (const path of ['spec.selector.matchLabels', 'spec.template.metadata.labels']) {
    for (const label of CONTROLLER_UID_LABELS) dropFrom(getPath(object, path), label);
  }
  const labels = getPath(object, 'spec.selector.matchLabels');
  if (isJsonObject(labels) && Object.keys(labels).length === 0) dropFrom(object.spec, 'selector');
}

/** A headless Service stays headless; any other gets an address from each member. */
function tweakService(object: KubeObject): void {
  if (object.spec?.clusterIP === 'None') return;
  dropFrom(object.spec, 'clusterIP');
  dropFrom(object.spec, 'clusterIPs');
}

/** Token secrets are each member's own. */
function tweakServiceAccount(object: KubeObject): void {
  if (Array.isArray(object.secrets) && object.secrets.length === 0) delete object.secrets;
}

function dropFrom(holder: unknown, key: string): void {
  if (isJsonObject(holder)) delete holder[key];
}
