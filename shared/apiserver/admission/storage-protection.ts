/** Upstream's StorageObjectInUseProtection: claims, volumes and their classes of attributes stay while something uses them. Controllers take the mark away. */
import type { AdmissionStep } from '../server.ts';
import { concernsKind } from './refuse.ts';

/** Finalizers by `group/plural`. */
const FINALIZERS: ReadonlyMap<string, string> = new Map([
  ['/persistentvolumeclaims', 'kubernetes.io/pvc-protection'],
  ['/persistentvolumes', 'kubernetes.io/pv-protection'],
  ['storage.k8s.io/volumeattributesclasses', 'kubernetes.io/vac-protection'],
]);

export const storageProtection: AdmissionStep = {
  name: 'StorageObjectInUseProtection',
  concerns: (target) => {
    const { group, plural } = target.definition;
    return FINALIZERS.has(`${group}/${plural}`) && concernsKind(target, group, plural, ['create']);
  },
  async mutate({ definition, object }) {
    const finalizer = FINALIZERS.get(`${definition.group}/${definition.plural}`);
    if (!object || !finalizer) return;
    const present = object.metadata.finalizers ?? [];
    if (!present.includes(finalizer)) object.metadata.finalizers = [...present, finalizer];
  },
};
