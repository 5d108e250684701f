/** Kinds of `networking.k8s.io/v1`. */
import type { KindDeclarations } from '../declare.ts';

export const NETWORKING_KINDS: KindDeclarations = {
  ingressclasses: { generation: true, unconditionalUpdate: true },
  ingresses: { generation: true, unconditionalUpdate: true },
  ipaddresses: { unconditionalUpdate: true },
  networkpolicies: { generation: true, unconditionalUpdate: true },
  servicecidrs: { unconditionalUpdate: true },
};
