/** Kinds of `networking.k8s.io/v1`. */

import type { KindDeclarations } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import { defaultIngress, defaultIngressClass, defaultNetworkPolicy } from '../others/defaults.ts';
import { validateIpAddress, validateIpAddressUpdate, validateServiceCidr } from './address-validation.ts';
import {
  INGRESS_CLASS_COLUMNS,
  INGRESS_COLUMNS,
  IP_ADDRESS_COLUMNS,
  NETWORK_POLICY_COLUMNS,
  SERVICE_CIDR_COLUMNS,
} from './columns.ts';
import { validateIngress, validateIngressClass, validateIngressClassUpdate, validateNetworkPolicy } from './validation.ts';

export const NETWORKING_KINDS: KindDeclarations = {
  ingressclasses: {
    strategy: { validate: validateIngressClass, validateUpdate: validateIngressClassUpdate, applyDefaults: defaultIngressClass },
    columns: INGRESS_CLASS_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
  },
  ingresses: {
    strategy: { validate: validateIngress, applyDefaults: defaultIngress },
    columns: INGRESS_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
  },
  ipaddresses: {
    strategy: { validate: validateIpAddress, validateUpdate: validateIpAddressUpdate },
    columns: IP_ADDRESS_COLUMNS,
    unconditionalUpdate: true,
    nameRule: 'pathSegment',
  },
  networkpolicies: {
    strategy: { validate: validateNetworkPolicy, applyDefaults: defaultNetworkPolicy },
    columns: NETWORK_POLICY_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
  },
  servicecidrs: {
    strategy: { validate: validateServiceCidr, prepareForCreate: withStatus() },
    columns: SERVICE_CIDR_COLUMNS,
    unconditionalUpdate: true,
  },
};
