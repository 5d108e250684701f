/**
 * Events between their two forms: core `v1` (stored) and `events.k8s.io/v1`, which names the same fields otherwise
 * (k8s.io/kubernetes/pkg/apis/events/v1/conversion.go). Both functions change their argument and return it.
 */
import type { KubeObject } from '../../machinery/object.ts';

/** core name, events.k8s.io name. What is not listed is called the same in both. */
const NAMES: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
];

/** events.k8s.io -> core. */
export function eventToCore(event: KubeObject): KubeObject {
  for (const [core, modern] of NAMES) rename(event, modern, core);
  return event;
}

/** core -> events.k8s.io. */
export function eventFromCore(event: KubeObject): KubeObject {
  for (const [core, modern] of NAMES) rename(event, core, modern);
  return event;
}

function rename(event: KubeObject, from: string, to: string): void {
  if (event[from] === undefined) return;
  event[to] = event[from];
  delete event[from];
}
