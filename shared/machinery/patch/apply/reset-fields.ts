/** Fields that a write to a resource or subresource resets, so that nobody can come to own them there. */
import type { GroupVersionKind } from '../../resource.ts';
import { fieldElement } from './element.ts';
import { difference, type FieldSet, keepMatching, type PathPattern, recursiveDifference, setOf } from './field-set.ts';

/** `without`: dotted paths that are left out of every set, with all below. `only`: patterns of the paths that alone stay (`*` any element). */
export type ResetFields = { without: readonly string[] } | { only: readonly string[] };

const NOTHING: ResetFields = { without: [] };

/** The set without the fields that are reset. */
export function filterReset(set: FieldSet, reset: ResetFields): FieldSet {
  if ('only' in reset) return keepMatching(set, reset.only.map(elementsOf));
  return reset.without.length === 0 ? set : recursiveDifference(set, setOf(reset.without.map(elementsOf)));
}

function elementsOf(path: string): PathPattern {
  return path.split('.').map((name) => (name === '*' ? name : fieldElement(name)));
}

/** Kinds whose subresources reset other fields than usual (pkg/registry of Kubernetes 1.35, `GetResetFields`). */
const UNUSUAL: Readonly<Record<string, ResetFields>> = {
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy/status': { without: ['spec', 'metadata'] },
  'apps/Deployment/status': { without: ['spec', 'metadata.labels'] },
  'certificates.k8s.io/CertificateSigningRequest/': { without: ['spec', 'status'] },
  'certificates.k8s.io/CertificateSigningRequest/status': { without: ['spec', 'status.conditions'] },
  'certificates.k8s.io/CertificateSigningRequest/approval': { without: ['spec', 'status.certificate'] },
  '/Namespace/finalize': { without: ['status'] },
  '/Pod/status': { without: ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'] },
  '/Pod/ephemeralcontainers': { only: ['spec.ephemeralContainers'] },
  '/Pod/resize': {
    only: [
      'spec.containers.*.resources',
      'spec.containers.*.resizePolicy',
      'spec.initContainers.*.resources',
      'spec.initContainers.*.resizePolicy',
    ],
  },
  'flowcontrol.apiserver.k8s.io/FlowSchema/status': { without: ['metadata', 'spec'] },
  'flowcontrol.apiserver.k8s.io/PriorityLevelConfiguration/status': { without: ['metadata', 'spec'] },
  'resource.k8s.io/ResourceClaim/status': { without: ['metadata', 'spec'] },
  'storage.k8s.io/VolumeAttachment/status': { without: ['metadata', 'spec'] },
};

/**
 * What a kind resets: usually status on the object itself and spec on `/status`; nothing on other subresources. `hasStatus`: the kind
 * has a status subresource.
 */
export function resetFieldsOf(kind: GroupVersionKind, subresource: string, hasStatus: boolean): ResetFields {
  const unusual = UNUSUAL[`${kind.group}/${kind.kind}/${subresource}`];
  if (unusual !== undefined) return unusual;
  if (subresource === 'status') return { without: ['spec'] };
  return subresource === '' && hasStatus ? { without: ['status'] } : NOTHING;
}

const IDENTITY: FieldSet = setOf(
  [
    'apiVersion',
    'kind',
    'metadata',
    'metadata.name',
    'metadata.namespace',
    'metadata.creationTimestamp',
    'metadata.selfLink',
    'metadata.uid',
    'metadata.clusterName',
    'metadata.generation',
    'metadata.managedFields',
    'metadata.resourceVersion',
  ].map(elementsOf),
);

/** The set without what identifies the object or belongs to the server: nobody owns those. */
export function stripIdentity(set: FieldSet): FieldSet {
  return difference(set, IDENTITY);
}
