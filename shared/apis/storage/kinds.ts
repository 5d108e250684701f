/** Kinds of `storage.k8s.io/v1`. */
import type { KindDeclarations } from '../declare.ts';

export const STORAGE_KINDS: KindDeclarations = {
  csidrivers: { deleteReturnsObject: true },
  csinodes: { deleteReturnsObject: true },
  storageclasses: { unconditionalUpdate: true, deleteReturnsObject: true },
  volumeattachments: { deleteReturnsObject: true },
  volumeattributesclasses: { unconditionalUpdate: true, deleteReturnsObject: true },
};
