/** Kinds of `apps/v1`. */
import { type KindDeclarations, REPLICA_PATHS, textAt } from '../declare.ts';

export const APPS_KINDS: KindDeclarations = {
  controllerrevisions: { unconditionalUpdate: true },
  daemonsets: { generation: true, unconditionalUpdate: true },
  deployments: { generation: true, unconditionalUpdate: true, scale: REPLICA_PATHS },
  replicasets: {
    generation: true,
    unconditionalUpdate: true,
    scale: REPLICA_PATHS,
    selectableFields: new Map([['status.replicas', (object) => textAt('status', 'replicas')(object) || '0']]),
  },
  statefulsets: { generation: true, unconditionalUpdate: true, scale: REPLICA_PATHS },
};
