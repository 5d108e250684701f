/** Our own group, `lamiral.dev/v1alpha1`: the written reasons of every placement. */
import type { KubeObject } from '../../machinery/object.ts';
import { defineCustomResource } from '../custom/custom-resource.ts';
import { anyObject, struct } from '../custom/shape.ts';
import type { Column, ResourceDefinition } from '../definition.ts';
import { once } from '../once.ts';
import { DATE_AGE, list, text } from '../printing/columns.ts';

export const LAMIRAL_GROUP = 'lamiral.dev';
export const LAMIRAL_VERSION = 'v1alpha1';
export const LAMIRAL_API_VERSION = `${LAMIRAL_GROUP}/${LAMIRAL_VERSION}`;

/** At most this many clusters are named in a column. */
const CLUSTERS_SHOWN_MAX = 4;

/** Placed clusters with their replicas: `us-1 21, eu-1 6, ap-1 3`. */
function placementText(decision: KubeObject): string {
  const placed = list(decision.spec?.placements).map((placement) =>
    typeof placement?.replicas === 'number' ? `${placement.cluster} ${placement.replicas}` : String(placement?.cluster ?? ''),
  );
  if (placed.length === 0) return '<none>';
  const shown = placed.slice(0, CLUSTERS_SHOWN_MAX).join(', ');
  return placed.length > CLUSTERS_SHOWN_MAX ? `${shown} + ${placed.length - CLUSTERS_SHOWN_MAX} more` : shown;
}

const COLUMNS: readonly Column[] = [
  text('Decision', (decision) => String(decision.spec?.decision ?? '')),
  text('Replicas', (decision) => (typeof decision.spec?.replicas === 'number' ? String(decision.spec.replicas) : '-')),
  text('Clusters', placementText),
  DATE_AGE,
];

/**
 * Members of a decision are maps of plugin results, which differ by profile: the schema keeps what it does not know. The shape is
 * federation's (DecisionSpec); only workers write it, spec and status at once, so that there is no status subresource.
 */
const SCHEMA = struct({ spec: anyObject(), status: anyObject() });

/** SchedulingDecision, and ClusterSchedulingDecision for cluster-scoped objects. */
export const lamiralDefinitions: () => readonly ResourceDefinition[] = once(() =>
  [
    { kind: 'SchedulingDecision', plural: 'schedulingdecisions', shortNames: ['sd'], namespaced: true },
    { kind: 'ClusterSchedulingDecision', plural: 'clusterschedulingdecisions', shortNames: ['csd'], namespaced: false },
  ].map((names) =>
    defineCustomResource({
      group: LAMIRAL_GROUP,
      version: LAMIRAL_VERSION,
      status: false,
      schema: SCHEMA,
      columns: COLUMNS,
      ...names,
    }),
  ),
);
