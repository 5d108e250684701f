/** Defaults of the small groups (defaults.go of each group in k8s.io/kubernetes/pkg/apis). Change their argument; idempotent. */
import type { KubeObject } from '../../machinery/object.ts';
import { fill, fillEmpty, forEachStruct, isStruct, type Struct, struct } from '../defaults/fill.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** Go prints the rules of a role even when there are none. */
export function defaultRole(role: KubeObject): void {
  role.rules ??= null;
}

export function defaultBinding(binding: KubeObject): void {
  fillEmpty(struct(binding, 'roleRef'), { apiGroup: RBAC_GROUP });
  forEachStruct(binding.subjects, (subject) => {
    if (subject.kind === 'User' || subject.kind === 'Group') fillEmpty(subject, { apiGroup: RBAC_GROUP });
  });
}

export function defaultStorageClass(storageClass: KubeObject): void {
  fill(storageClass, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
}

export function defaultCsiDriver(driver: KubeObject): void {
  const spec = struct(driver, 'spec');
  fill(spec, {
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    requiresRepublish: false,
    seLinuxMount: false,
  });
  fillEmpty(spec, { volumeLifecycleModes: () => ['Persistent'] });
}

export function defaultIngress(ingress: KubeObject): void {
  struct(struct(ingress, 'status'), 'loadBalancer');
}

export function defaultIngressClass(ingressClass: KubeObject): void {
  const parameters = ingressClass.spec?.parameters;
  if (isStruct(parameters)) fill(parameters, { scope: 'Cluster' });
}

export function defaultNetworkPolicy(policy: KubeObject): void {
  const spec = struct(policy, 'spec');
  struct(spec, 'podSelector');
  fillEmpty(spec, { policyTypes: () => (spec.egress?.length > 0 ? ['Ingress', 'Egress'] : ['Ingress']) });
  for (const rules of [spec.ingress, spec.egress])
    forEachStruct(rules, (rule) => forEachStruct(rule.ports, (port) => fill(port, { protocol: 'TCP' })));
}

export function defaultEndpointSlice(slice: KubeObject): void {
  forEachStruct(slice.endpoints, (endpoint) => struct(endpoint, 'conditions'));
  forEachStruct(slice.ports, (port) => fill(port, { name: '', protocol: 'TCP' }));
}

export function defaultLease(lease: KubeObject): void {
  struct(lease, 'spec');
}

export function defaultPriorityClass(priorityClass: KubeObject): void {
  fill(priorityClass, { preemptionPolicy: 'PreemptLowerPriority' });
}

export function defaultFlowSchema(schema: KubeObject): void {
  fillEmpty(struct(schema, 'spec'), { matchingPrecedence: 1000 });
}

export function defaultPriorityLevel(level: KubeObject): void {
  const { limited, exempt } = struct(level, 'spec');
  if (isStruct(exempt)) fill(exempt, { nominalConcurrencyShares: 0, lendablePercent: 0 });
  if (!isStruct(limited)) return;
  fill(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
  if (isStruct(limited.limitResponse?.queuing))
    fillEmpty(limited.limitResponse.queuing, { handSize: 8, queueLengthLimit: 50, queues: 64 });
}

const ANY_OBJECT = () => ({});

export function defaultWebhooks(configuration: KubeObject): void {
  forEachStruct(configuration.webhooks, (webhook) => {
    fill(webhook, {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      namespaceSelector: ANY_OBJECT,
      objectSelector: ANY_OBJECT,
      timeoutSeconds: 10,
      ...(configuration.kind === 'MutatingWebhookConfiguration' ? { reinvocationPolicy: 'Never' } : {}),
    });
    defaultRules(webhook.rules);
    defaultServicePort(webhook.clientConfig);
  });
}

export function defaultAdmissionPolicy(policy: KubeObject): void {
  const spec = struct(policy, 'spec');
  fill(spec, { failurePolicy: 'Fail' });
  defaultMatching(spec.matchConstraints);
}

export function defaultAdmissionBinding(binding: KubeObject): void {
  defaultMatching(binding.spec?.matchResources);
}

function defaultMatching(matching: unknown): void {
  if (!isStruct(matching)) return;
  fill(matching, { matchPolicy: 'Equivalent', namespaceSelector: ANY_OBJECT, objectSelector: ANY_OBJECT });
  defaultRules(matching.resourceRules);
  defaultRules(matching.excludeResourceRules);
}

function defaultRules(rules: unknown): void {
  forEachStruct(rules, (rule) => fill(rule, { scope: '*' }));
}

function defaultServicePort(client: Struct): void {
  if (isStruct(client?.service)) fill(client.service, { port: 443 });
}

export function defaultApiService(apiService: KubeObject): void {
  defaultServicePort(apiService.spec);
}

export function defaultCustomResourceDefinition(definition: KubeObject): void {
  const spec = struct(definition, 'spec');
  const names = struct(spec, 'names');
  if (names.kind) fillEmpty(names, { singular: String(names.kind).toLowerCase(), listKind: `${names.kind}List` });
  fill(spec, { conversion: () => ({ strategy: 'None' }) });
  defaultServicePort(spec.conversion?.webhook?.clientConfig);
  const storage = (Array.isArray(spec.versions) ? spec.versions : []).find((version: Struct) => version?.storage === true);
  const status = struct(definition, 'status');
  fill(status, { acceptedNames: () => ({ kind: '', plural: '' }) });
  status.conditions ??= null;
  if (storage) fillEmpty(status, { storedVersions: () => [storage.name] });
}

export function defaultResourceClaim(claim: KubeObject): void {
  defaultDeviceRequests(claim.spec?.devices?.requests);
}

export function defaultResourceClaimTemplate(template: KubeObject): void {
  const spec = struct(template, 'spec');
  struct(spec, 'metadata');
  defaultDeviceRequests(spec.spec?.devices?.requests);
}

function defaultDeviceRequests(requests: unknown): void {
  forEachStruct(requests, (request) => {
    if (isStruct(request.exactly)) defaultDeviceCount(request.exactly);
    forEachStruct(request.firstAvailable, defaultDeviceCount);
  });
}

function defaultDeviceCount(request: Struct): void {
  fillEmpty(request, { allocationMode: 'ExactCount' });
  if (request.allocationMode === 'ExactCount') fillEmpty(request, { count: 1 });
}
