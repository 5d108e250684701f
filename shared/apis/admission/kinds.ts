/** Kinds of `admissionregistration.k8s.io/v1`. */
import type { KindDeclarations } from '../declare.ts';

export const ADMISSION_KINDS: KindDeclarations = {
  mutatingwebhookconfigurations: { generation: true },
  validatingadmissionpolicies: { generation: true },
  validatingadmissionpolicybindings: { generation: true },
  validatingwebhookconfigurations: { generation: true },
};
