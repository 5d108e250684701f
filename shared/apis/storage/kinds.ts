/** Kinds of `storage.k8s.io/v1`. */

import type { KindDeclarations } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { defaultCsiDriver, defaultStorageClass } from '../others/defaults.ts';
import {
  CSI_CAPACITY_COLUMNS,
  CSI_DRIVER_COLUMNS,
  CSI_NODE_COLUMNS,
  STORAGE_CLASS_COLUMNS,
  VOLUME_ATTACHMENT_COLUMNS,
  VOLUME_ATTRIBUTES_CLASS_COLUMNS,
} from './columns.ts';
import {
  validateCsiDriver,
  validateCsiDriverUpdate,
  validateCsiNode,
  validateCsiNodeUpdate,
  validateStorageCapacity,
  validateStorageCapacityUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from './validation.ts';

export const STORAGE_KINDS: KindDeclarations = {
  csidrivers: {
    strategy: { validate: validateCsiDriver, validateUpdate: validateCsiDriverUpdate, applyDefaults: defaultCsiDriver },
    columns: CSI_DRIVER_COLUMNS,
    deleteReturnsObject: true,
  },
  csistoragecapacities: {
    strategy: { validate: validateStorageCapacity, validateUpdate: validateStorageCapacityUpdate },
    columns: CSI_CAPACITY_COLUMNS,
  },
  csinodes: {
    strategy: { validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
    columns: CSI_NODE_COLUMNS,
    deleteReturnsObject: true,
  },
  storageclasses: {
    strategy: { validate: validateStorageClass, validateUpdate: validateStorageClassUpdate, applyDefaults: defaultStorageClass },
    columns: STORAGE_CLASS_COLUMNS,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
  },
  volumeattachments: {
    strategy: {
      validate: validateVolumeAttachment,
      validateUpdate: validateVolumeAttachmentUpdate,
      prepareForCreate: withStatus({ attached: false }),
    },
    columns: VOLUME_ATTACHMENT_COLUMNS,
    deleteReturnsObject: true,
  },
  volumeattributesclasses: {
    strategy: { validate: validateVolumeAttributesClass, validateUpdate: validateVolumeAttributesClassUpdate },
    columns: VOLUME_ATTRIBUTES_CLASS_COLUMNS,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
  },
};
