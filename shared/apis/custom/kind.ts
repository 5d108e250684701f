/** The kind CustomResourceDefinition itself: what happens to one when it is written (apiextensions' strategy). */
import type { KubeObject } from '../../machinery/object.ts';
import type { KindDeclaration } from '../declare.ts';
import { defaultCustomResourceDefinition } from '../others/defaults.ts';
import { specOf, statusOf, storageVersionOf } from './crd.ts';

export const CRD_KIND: KindDeclaration = {
  generation: true,
  strategy: {
    applyDefaults: defaultCustomResourceDefinition,
    prepareForUpdate: recordStorageVersion,
  },
};

/** A version that objects were once written in is remembered until somebody says that none is left. */
function recordStorageVersion(crd: KubeObject): void {
  const storage = storageVersionOf(specOf(crd))?.name;
  const { storedVersions = [] } = statusOf(crd);
  if (storage === undefined || storedVersions.includes(storage)) return;
  crd.status = { ...crd.status, storedVersions: [...storedVersions, storage] };
}
