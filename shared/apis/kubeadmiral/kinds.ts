/** The kinds of `core.kubeadmiral.io/v1alpha1` and `multicluster.x-k8s.io/v1alpha1` (reference: KubeAdmiral, section 1). */
import type { KubeObject } from '../../machinery/object.ts';
import { type CustomResource, defineCustomResource } from '../custom/custom-resource.ts';
import type { FieldError, ResourceDefinition } from '../definition.ts';
import { once } from '../once.ts';
import { tooLong } from '../validation/fields.ts';
import { CLUSTER_COLUMNS, SERVICE_IMPORT_COLUMNS } from './columns.ts';
import { KUBEADMIRAL_GROUP, KUBEADMIRAL_VERSION, MULTICLUSTER_GROUP } from './names.ts';
import {
  collectedStatusSchema,
  federatedClusterSchema,
  federatedObjectSchema,
  federatedTypeConfigSchema,
  propagatedVersionSchema,
  schedulerPluginWebhookSchema,
  schedulingProfileSchema,
  serviceExportSchema,
  serviceImportSchema,
} from './object-schemas.ts';
import { overridePolicySchema, propagationPolicySchema } from './policy-schemas.ts';

/** Names of policies become label values. */
const POLICY_NAME_BYTES_MAX = 63;

/** What sets a kind apart; `namespaced` and `status` are the usual case. */
type Kind = Pick<CustomResource, 'kind' | 'plural' | 'schema'> &
  Partial<Pick<CustomResource, 'columns' | 'validate' | 'shortNames'>> & {
    scope?: 'Cluster';
    status?: 'none';
  };

/** A namespaced kind and its twin for the whole cluster, which differ in name and short name only. */
function twins(kind: Omit<Kind, 'shortNames'> & { short?: string }): Kind[] {
  const { short, ...common } = kind;
  const names = (prefix: string) => (short ? { shortNames: [`${prefix}${short}`] } : {});
  return [
    { ...common, ...names('') },
    { ...common, kind: `Cluster${kind.kind}`, plural: `cluster${kind.plural}`, scope: 'Cluster', ...names('c') },
  ];
}

function kinds(): Kind[] {
  return [
    {
      kind: 'FederatedCluster',
      plural: 'federatedclusters',
      shortNames: ['fcluster'],
      scope: 'Cluster',
      schema: federatedClusterSchema(),
      columns: CLUSTER_COLUMNS,
    },
    {
      kind: 'FederatedTypeConfig',
      plural: 'federatedtypeconfigs',
      shortNames: ['ftc'],
      scope: 'Cluster',
      schema: federatedTypeConfigSchema(),
    },
    ...twins({
      kind: 'PropagationPolicy',
      plural: 'propagationpolicies',
      short: 'pp',
      schema: propagationPolicySchema(),
      validate: shortName,
    }),
    ...twins({ kind: 'OverridePolicy', plural: 'overridepolicies', short: 'op', schema: overridePolicySchema() }),
    ...twins({ kind: 'FederatedObject', plural: 'federatedobjects', short: 'fo', schema: federatedObjectSchema() }),
    ...twins({
      kind: 'CollectedStatus',
      plural: 'collectedstatuses',
      short: 'cs',
      status: 'none',
      schema: collectedStatusSchema(),
    }),
    ...twins({ kind: 'PropagatedVersion', plural: 'propagatedversions', schema: propagatedVersionSchema() }),
    {
      kind: 'SchedulingProfile',
      plural: 'schedulingprofiles',
      shortNames: ['sp'],
      scope: 'Cluster',
      status: 'none',
      schema: schedulingProfileSchema(),
    },
    {
      kind: 'SchedulerPluginWebhookConfiguration',
      plural: 'schedulerpluginwebhookconfigurations',
      scope: 'Cluster',
      status: 'none',
      schema: schedulerPluginWebhookSchema(),
    },
  ];
}

function multiclusterKinds(): Kind[] {
  return [
    { kind: 'ServiceExport', plural: 'serviceexports', shortNames: ['svcex'], schema: serviceExportSchema() },
    {
      kind: 'ServiceImport',
      plural: 'serviceimports',
      shortNames: ['svcim'],
      schema: serviceImportSchema(),
      columns: SERVICE_IMPORT_COLUMNS,
    },
  ];
}

/** All of KubeAdmiral's kinds, and the two of the multi-cluster services API that it uses. */
export const kubeadmiralDefinitions: () => readonly ResourceDefinition[] = once(() => [
  ...kinds().map((kind) => define(KUBEADMIRAL_GROUP, kind)),
  ...multiclusterKinds().map((kind) => define(MULTICLUSTER_GROUP, kind)),
]);

function define(group: string, { scope, status, ...kind }: Kind): ResourceDefinition {
  return defineCustomResource({
    group,
    version: KUBEADMIRAL_VERSION,
    namespaced: scope !== 'Cluster',
    status: status !== 'none',
    ...kind,
  });
}

function shortName({ metadata }: KubeObject): FieldError[] {
  const bytes = Buffer.byteLength(metadata.name ?? '');
  return bytes > POLICY_NAME_BYTES_MAX ? [tooLong('metadata.name', POLICY_NAME_BYTES_MAX)] : [];
}
