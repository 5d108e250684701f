/** Kinds of `apps/v1`. */

import { type KindDeclarations, REPLICA_PATHS, textAt } from '../declare.ts';
import { withStatus } from '../defaults/fill.ts';
import {
  CONTROLLER_REVISION_COLUMNS,
  DAEMON_SET_COLUMNS,
  DEPLOYMENT_COLUMNS,
  REPLICA_SET_COLUMNS,
  STATEFUL_SET_COLUMNS,
} from './columns.ts';
import {
  countAnnotations,
  countTemplateGeneration,
  defaultDaemonSet,
  defaultDeployment,
  defaultReplicaSet,
  defaultStatefulSet,
  prepareDaemonSet,
} from './defaults.ts';
import {
  validateControllerRevision,
  validateControllerRevisionUpdate,
  validateDaemonSet,
  validateDeployment,
  validateReplicaSet,
  validateSelectorUpdate,
  validateStatefulSet,
  validateStatefulSetUpdate,
} from './validation.ts';

export const APPS_KINDS: KindDeclarations = {
  controllerrevisions: {
    strategy: { validate: validateControllerRevision, validateUpdate: validateControllerRevisionUpdate },
    columns: CONTROLLER_REVISION_COLUMNS,
    unconditionalUpdate: true,
  },
  daemonsets: {
    strategy: {
      validate: validateDaemonSet,
      validateUpdate: validateSelectorUpdate,
      applyDefaults: defaultDaemonSet,
      prepareForCreate: prepareDaemonSet,
      prepareForUpdate: countTemplateGeneration,
    },
    columns: DAEMON_SET_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
  },
  deployments: {
    strategy: {
      validate: validateDeployment,
      validateUpdate: validateSelectorUpdate,
      applyDefaults: defaultDeployment,
      prepareForCreate: withStatus(),
      prepareForUpdate: countAnnotations,
    },
    columns: DEPLOYMENT_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
    scale: REPLICA_PATHS,
  },
  replicasets: {
    strategy: {
      validate: validateReplicaSet,
      validateUpdate: validateSelectorUpdate,
      applyDefaults: defaultReplicaSet,
      prepareForCreate: withStatus({ replicas: 0 }),
    },
    columns: REPLICA_SET_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
    scale: REPLICA_PATHS,
    selectableFields: new Map([['status.replicas', (object) => textAt('status', 'replicas')(object) || '0']]),
  },
  statefulsets: {
    nameRule: 'label',
    strategy: {
      validate: validateStatefulSet,
      validateUpdate: validateStatefulSetUpdate,
      applyDefaults: defaultStatefulSet,
      prepareForCreate: withStatus({ replicas: 0, availableReplicas: 0 }),
    },
    columns: STATEFUL_SET_COLUMNS,
    generation: true,
    unconditionalUpdate: true,
    scale: REPLICA_PATHS,
  },
};
