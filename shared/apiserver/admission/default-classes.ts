/** Upstream's DefaultStorageClass and DefaultIngressClass: who names no class gets the one that is marked as default. */
import { resourceList } from '../../apis/core/resource-list.ts';
import { struct } from '../../apis/defaults/fill.ts';
import type { KubeObject } from '../../machinery/object.ts';
import { compareQuantities } from '../../machinery/quantity.ts';
import type { AdmissionStep } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { concernsKind, refuse } from './refuse.ts';
import { createScopeView } from './scope-view.ts';

const STORAGE_MARKS = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];
const INGRESS_MARK = 'ingressclass.kubernetes.io/is-default-class';
const CLAIM_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const INGRESS_CLASS_ANNOTATION = 'kubernetes.io/ingress.class';

export function defaultStorageClass(deps: AdmissionDeps): AdmissionStep {
  const classes = createScopeView(deps, 'storage.k8s.io/storageclasses');
  return {
    name: 'DefaultStorageClass',
    concerns: (target) => concernsKind(target, '', 'persistentvolumeclaims', ['create']),
    async mutate({ object }) {
      if (!object || object.metadata.annotations?.[CLAIM_CLASS_ANNOTATION] !== undefined) return;
      const spec = struct(object, 'spec');
      if (spec.storageClassName !== undefined && spec.storageClassName !== null) return;
      const marked = (await classes.all()).filter((each) => STORAGE_MARKS.some((mark) => isMarked(each, mark)));
      const chosen = marked.sort(byAge)[0];
      if (chosen) spec.storageClassName = chosen.metadata.name;
    },
  };
}

export function defaultIngressClass(deps: AdmissionDeps): AdmissionStep {
  const classes = createScopeView(deps, 'networking.k8s.io/ingressclasses');
  return {
    name: 'DefaultIngressClass',
    concerns: (target) => concernsKind(target, 'networking.k8s.io', 'ingresses', ['create']),
    async mutate(request) {
      const { object } = request;
      if (!object || object.metadata.annotations?.[INGRESS_CLASS_ANNOTATION] !== undefined) return;
      const spec = struct(object, 'spec');
      if (spec.ingressClassName !== undefined && spec.ingressClassName !== null) return;
      const marked = (await classes.all()).filter((each) => isMarked(each, INGRESS_MARK)).sort(byAge);
      if (marked[0]) spec.ingressClassName = marked[0].metadata.name;
    },
  };
}

const isMarked = (each: KubeObject, mark: string): boolean => each.metadata.annotations?.[mark] === 'true';

/** The newest first, then by name. */
function byAge(a: KubeObject, b: KubeObject): number {
  const [at, bt] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (at !== bt) return at < bt ? 1 : -1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** Upstream's PersistentVolumeClaimResize: only a bound claim whose class allows it may grow. */
export function claimResize(deps: AdmissionDeps): AdmissionStep {
  const classes = createScopeView(deps, 'storage.k8s.io/storageclasses');
  return {
    name: 'PersistentVolumeClaimResize',
    concerns: (target) => concernsKind(target, '', 'persistentvolumeclaims', ['update']),
    async validate(request) {
      const { object, old } = request;
      if (!object || !old || !grows(object, old)) return;
      if (old.status?.phase !== 'Bound') throw refuse(request, 'Only bound persistent volume claims can be expanded');
      const name = classOfClaim(object);
      const found = (await classes.all()).find(({ metadata }) => metadata.name === name);
      if (name === '' || name !== classOfClaim(old) || found?.allowVolumeExpansion !== true)
        throw refuse(
          request,
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
        );
    },
  };
}

function grows(claim: KubeObject, old: KubeObject): boolean {
  const [size, before] = [claim, old].map((each) => resourceList(each.spec?.resources?.requests).get('storage'));
  return size !== undefined && (before === undefined || compareQuantities(size, before) > 0);
}

function classOfClaim({ metadata, spec }: KubeObject): string {
  return metadata.annotations?.[CLAIM_CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
}
