/** Kinds of `admissionregistration.k8s.io/v1`. */

import type { KindDeclarations } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { defaultAdmissionBinding, defaultAdmissionPolicy, defaultWebhooks } from '../others/defaults.ts';
import { ADMISSION_BINDING_COLUMNS, ADMISSION_POLICY_COLUMNS, WEBHOOK_COLUMNS } from './columns.ts';

export const ADMISSION_KINDS: KindDeclarations = {
  mutatingwebhookconfigurations: { strategy: { applyDefaults: defaultWebhooks }, columns: WEBHOOK_COLUMNS, generation: true },
  validatingadmissionpolicies: {
    strategy: { applyDefaults: defaultAdmissionPolicy, prepareForCreate: withStatus() },
    columns: ADMISSION_POLICY_COLUMNS,
    generation: true,
  },
  validatingadmissionpolicybindings: {
    strategy: { applyDefaults: defaultAdmissionBinding },
    columns: ADMISSION_BINDING_COLUMNS,
    generation: true,
  },
  validatingwebhookconfigurations: { strategy: { applyDefaults: defaultWebhooks }, columns: WEBHOOK_COLUMNS, generation: true },
};
