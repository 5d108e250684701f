/**
 * The admission chain of every API server that we run, in upstream's order (kubernetes/pkg/kubeapiserver/options/plugins.go): what changes objects comes
 * before what refuses them, webhooks and policies come late, and quota is charged last, for what nothing else refused.
 */
import type { Registry } from '../../apis/definition.ts';
import type { Store } from '../../ports/object-store.ts';
import type { Clock, Http, Ids, Log } from '../../ports/system.ts';
import { rbacEscalation } from '../authz/escalation.ts';
import type { AdmissionStep, ApiServerDeps } from '../server.ts';
import { createWebhookClient, type ResolveService, storedServices } from '../webhook-client.ts';
import { certificateRequests } from './certificates.ts';
import { claimResize, defaultIngressClass, defaultStorageClass } from './default-classes.ts';
import { defaultTolerations } from './default-tolerations.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { podSecurity } from './pod-security.ts';
import { validatingAdmissionPolicy } from './policies/step.ts';
import { priority } from './priority.ts';
import { resourceQuota } from './quota.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account.ts';
import { storageProtection } from './storage-protection.ts';
import { mutatingWebhooks } from './webhooks/mutating.ts';
import { validatingWebhooks } from './webhooks/validating.ts';

export type AdmissionDeps = {
  store: Pick<Store, 'objects' | 'lanes'>;
  registry: () => Registry;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** How webhooks are called; absent: every call of one fails, and its failure policy decides. */
  http?: Http;
  /** Where Services lead that webhooks name; absent: to what is stored of them. */
  resolveService?: ResolveService;
} & Partial<Pick<ApiServerDeps, 'rbac' | 'authorize'>>;

/** The steps that every server has. What a server adds of its own follows them. */
export function defaultAdmission(deps: AdmissionDeps): AdmissionStep[] {
  const { http = NO_HTTP, resolveService = storedServices(deps.store) } = deps;
  const calling = { ...deps, client: createWebhookClient({ http, resolveService }) };
  return [
    namespaceLifecycle(deps),
    limitRanger(deps),
    serviceAccount(deps),
    podSecurity(deps),
    priority(deps),
    defaultTolerations,
    defaultStorageClass(deps),
    storageProtection,
    claimResize(deps),
    runtimeClass(deps),
    defaultIngressClass(deps),
    certificateRequests(deps),
    ...escalation(deps),
    mutatingWebhooks(calling),
    validatingAdmissionPolicy(deps),
    validatingWebhooks(calling),
    resourceQuota(deps),
  ];
}

const NO_HTTP: Http = { send: async () => ({ type: 'failure', reason: 'this server calls no webhooks' }) };

/** After everything that changes a role: what is looked at is what would be stored. Only where roles decide. */
function escalation({ rbac, authorize }: AdmissionDeps): AdmissionStep[] {
  return rbac && authorize ? [rbacEscalation({ rbac, authorize })] : [];
}
