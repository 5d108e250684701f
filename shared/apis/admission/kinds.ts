/** Kinds of `admissionregistration.k8s.io/v1`. */

import type { KindDeclaration, KindDeclarations } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { defaultAdmissionBinding, defaultAdmissionPolicy, defaultWebhooks } from '../others/defaults.ts';
import { ADMISSION_BINDING_COLUMNS, ADMISSION_POLICY_COLUMNS, WEBHOOK_COLUMNS } from './columns.ts';
import { validatePolicy, validatePolicyBinding, validatePolicyChange } from './policy-validation.ts';
import { validateWebhooks, validateWebhooksChange } from './webhook-validation.ts';

const WEBHOOKS: KindDeclaration = {
  strategy: { applyDefaults: defaultWebhooks, validate: validateWebhooks, validateChange: validateWebhooksChange },
  columns: WEBHOOK_COLUMNS,
  generation: true,
};

export const ADMISSION_KINDS: KindDeclarations = {
  mutatingwebhookconfigurations: WEBHOOKS,
  validatingadmissionpolicies: {
    strategy: {
      applyDefaults: defaultAdmissionPolicy,
      prepareForCreate: withStatus(),
      validate: validatePolicy,
      validateChange: validatePolicyChange,
    },
    columns: ADMISSION_POLICY_COLUMNS,
    generation: true,
  },
  validatingadmissionpolicybindings: {
    strategy: { applyDefaults: defaultAdmissionBinding, validate: validatePolicyBinding },
    columns: ADMISSION_BINDING_COLUMNS,
    generation: true,
  },
  validatingwebhookconfigurations: WEBHOOKS,
};
