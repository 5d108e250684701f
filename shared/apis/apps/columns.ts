/** Columns of `apps/v1` kinds. */
import type { KubeObject } from '../../machinery/object.ts';
import { parseApiVersion } from '../../machinery/resource.ts';
import { formatLabelSelector } from '../../machinery/selectors.ts';
import type { Column } from '../definition.ts';
import { AGE, count, formatMap, integer, NAME, templateColumns, text, wide } from '../printing/columns.ts';

const template = (object: KubeObject): unknown => object.spec?.template;

/** The label selector of a workload as text; `<none>` without one, `<error>` where it cannot be read. */
export function selectorText(selector: unknown): string {
  if (selector === undefined || selector === null) return '<none>';
  try {
    return formatLabelSelector(selector as Parameters<typeof formatLabelSelector>[0]) || '<none>';
  } catch {
    return '<error>';
  }
}

const SELECTOR = wide(text('Selector', (object) => selectorText(object.spec?.selector)));
const READY = text('Ready', (object) => `${count(object.status?.readyReplicas)}/${count(object.spec?.replicas)}`);
const statusCount = (name: string, field: string): Column => integer(name, (object) => count(object.status?.[field]));

export const DEPLOYMENT_COLUMNS: readonly Column[] = [
  NAME,
  READY,
  text('Up-to-date', (object) => count(object.status?.updatedReplicas)),
  text('Available', (object) => count(object.status?.availableReplicas)),
  AGE,
  ...templateColumns(template),
  SELECTOR,
];

export const REPLICA_SET_COLUMNS: readonly Column[] = [
  NAME,
  integer('Desired', (object) => count(object.spec?.replicas)),
  statusCount('Current', 'replicas'),
  statusCount('Ready', 'readyReplicas'),
  AGE,
  ...templateColumns(template),
  SELECTOR,
];

export const STATEFUL_SET_COLUMNS: readonly Column[] = [NAME, READY, AGE, ...templateColumns(template)];

export const DAEMON_SET_COLUMNS: readonly Column[] = [
  NAME,
  statusCount('Desired', 'desiredNumberScheduled'),
  statusCount('Current', 'currentNumberScheduled'),
  statusCount('Ready', 'numberReady'),
  statusCount('Up-to-date', 'updatedNumberScheduled'),
  statusCount('Available', 'numberAvailable'),
  text('Node Selector', (object) => formatMap(object.spec?.template?.spec?.nodeSelector)),
  AGE,
  ...templateColumns(template),
  SELECTOR,
];

export const CONTROLLER_REVISION_COLUMNS: readonly Column[] = [
  NAME,
  text('Controller', controllerOf),
  text('Revision', (object) => count(object.revision)),
  AGE,
];

/** `deployment.apps/web` of the controlling owner. */
function controllerOf({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find((each) => each.controller === true);
  if (!owner) return '<none>';
  const { group } = parseApiVersion(owner.apiVersion);
  const kind = group === '' ? owner.kind : `${owner.kind}.${group}`;
  return `${kind.toLowerCase()}/${owner.name}`;
}
