/** Kinds of `storage.k8s.io/v1`. */

import type { KindDeclarations } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { defaultCsiDriver, defaultStorageClass } from '../others/defaults.ts';
import { validateStorageClass, validateStorageClassUpdate } from '../others/validation.ts';
import {
  CSI_CAPACITY_COLUMNS,
  CSI_DRIVER_COLUMNS,
  CSI_NODE_COLUMNS,
  STORAGE_CLASS_COLUMNS,
  VOLUME_ATTACHMENT_COLUMNS,
  VOLUME_ATTRIBUTES_CLASS_COLUMNS,
} from './columns.ts';

export const STORAGE_KINDS: KindDeclarations = {
  csidrivers: { strategy: { applyDefaults: defaultCsiDriver }, columns: CSI_DRIVER_COLUMNS, deleteReturnsObject: true },
  csistoragecapacities: { columns: CSI_CAPACITY_COLUMNS },
  csinodes: { columns: CSI_NODE_COLUMNS, deleteReturnsObject: true },
  storageclasses: {
    strategy: { validate: validateStorageClass, validateUpdate: validateStorageClassUpdate, applyDefaults: defaultStorageClass },
    columns: STORAGE_CLASS_COLUMNS,
    unconditionalUpdate: true,
    deleteReturnsObject: true,
  },
  volumeattachments: {
    strategy: { prepareForCreate: withStatus({ attached: false }) },
    columns: VOLUME_ATTACHMENT_COLUMNS,
    deleteReturnsObject: true,
  },
  volumeattributesclasses: { columns: VOLUME_ATTRIBUTES_CLASS_COLUMNS, unconditionalUpdate: true, deleteReturnsObject: true },
};
