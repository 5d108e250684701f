/** Columns of `storage.k8s.io/v1` kinds. */
import type { KubeObject } from '../../machinery/object.ts';
import type { Column } from '../definition.ts';
import { AGE, type Cell, integer, list, NAME, orNone, text } from '../printing/columns.ts';

const DEFAULT_ANNOTATIONS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

const flag = (name: string, cell: Cell): Column => ({ ...text(name, cell), type: 'boolean' });

function isDefault({ metadata }: KubeObject): boolean {
  return DEFAULT_ANNOTATIONS.some((annotation) => metadata.annotations?.[annotation] === 'true');
}

export const STORAGE_CLASS_COLUMNS: readonly Column[] = [
  { ...NAME, cell: (object) => `${object.metadata.name ?? ''}${isDefault(object) ? ' (default)' : ''}` },
  text('Provisioner', (object) => object.provisioner ?? ''),
  text('ReclaimPolicy', (object) => object.reclaimPolicy ?? 'Delete'),
  text('VolumeBindingMode', (object) => object.volumeBindingMode ?? 'Immediate'),
  text('AllowVolumeExpansion', (object) => object.allowVolumeExpansion === true),
  AGE,
];

export const VOLUME_ATTRIBUTES_CLASS_COLUMNS: readonly Column[] = [
  NAME,
  text('DriverName', (object) => object.driverName ?? ''),
  AGE,
];

export const CSI_DRIVER_COLUMNS: readonly Column[] = [
  NAME,
  flag('AttachRequired', (driver) => driver.spec?.attachRequired ?? true),
  flag('PodInfoOnMount', (driver) => driver.spec?.podInfoOnMount ?? false),
  flag('StorageCapacity', (driver) => driver.spec?.storageCapacity ?? false),
  text('TokenRequests', (driver) => audiences(driver.spec?.tokenRequests)),
  flag('RequiresRepublish', (driver) => driver.spec?.requiresRepublish ?? false),
  text('Modes', (driver) => orNone(list(driver.spec?.volumeLifecycleModes).join(','))),
  AGE,
];

function audiences(requests: unknown): string {
  return Array.isArray(requests) ? requests.map((request) => request?.audience ?? '').join(',') : '<unset>';
}

export const CSI_NODE_COLUMNS: readonly Column[] = [NAME, integer('Drivers', (node) => list(node.spec?.drivers).length), AGE];

export const CSI_CAPACITY_COLUMNS: readonly Column[] = [
  NAME,
  text('StorageClassName', (object) => object.storageClassName ?? ''),
  text('Capacity', (object) => String(object.capacity ?? '<unset>')),
];

export const VOLUME_ATTACHMENT_COLUMNS: readonly Column[] = [
  NAME,
  { ...text('Attacher', (attachment) => attachment.spec?.attacher ?? ''), format: 'name' },
  text('PV', (attachment) => attachment.spec?.source?.persistentVolumeName ?? ''),
  text('Node', (attachment) => attachment.spec?.nodeName ?? ''),
  flag('Attached', (attachment) => attachment.status?.attached === true),
  AGE,
];
