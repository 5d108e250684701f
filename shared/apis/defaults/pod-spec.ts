/** Defaults of pods and pod templates (k8s.io/kubernetes/pkg/apis/core/v1/defaults.go). Changes its argument in place; idempotent. */
import type { KubeObject } from '../../machinery/object.ts';
import { fill, fillEmpty, forEachStruct, isStruct, type Struct, struct } from './fill.ts';

const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

/** Pods have defaults that templates do not: requests from limits, service links, host ports. */
export function defaultPod(pod: KubeObject): void {
  const spec = struct(pod, 'spec');
  defaultPodSpec(spec);
  for (const containers of [spec.containers, spec.initContainers]) forEachStruct(containers, requestsFromLimits);
  fill(spec, { enableServiceLinks: true });
  if (spec.hostNetwork !== true) return;
  for (const containers of [spec.containers, spec.initContainers]) {
    forEachStruct(containers, (container) =>
      forEachStruct(container.ports, (port) => fillEmpty(port, { hostPort: port.containerPort })),
    );
  }
}

/** A template: `{metadata, spec}`. Anything else is left alone; validation will speak of it. */
export function defaultPodTemplate(template: unknown): void {
  if (!isStruct(template)) return;
  struct(template, 'metadata');
  defaultPodSpec(struct(template, 'spec'));
}

function defaultPodSpec(spec: Struct): void {
  fillEmpty(spec, { dnsPolicy: 'ClusterFirst', restartPolicy: 'Always', schedulerName: 'default-scheduler' });
  fill(spec, { securityContext: () => ({}), terminationGracePeriodSeconds: 30 });
  mirrorServiceAccount(spec);
  for (const containers of [spec.containers, spec.initContainers, spec.ephemeralContainers])
    forEachStruct(containers, defaultContainer);
  forEachStruct(spec.volumes, defaultVolume);
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are always printed. */
function mirrorServiceAccount(spec: Struct): void {
  const name = spec.serviceAccountName || spec.serviceAccount;
  if (!name) return;
  spec.serviceAccountName = name;
  spec.serviceAccount = name;
}

function defaultContainer(container: Struct): void {
  fillEmpty(container, {
    imagePullPolicy: pullPolicyOf(container.image),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  fill(container, { resources: () => ({}) });
  forEachStruct(container.ports, (port) => fillEmpty(port, { protocol: 'TCP' }));
  forEachStruct(container.env, ({ valueFrom }) => {
    if (isStruct(valueFrom?.fieldRef)) fillEmpty(valueFrom.fieldRef, { apiVersion: 'v1' });
    if (isStruct(valueFrom?.resourceFieldRef)) fill(valueFrom.resourceFieldRef, { divisor: '0' });
  });
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe]) {
    if (isStruct(probe)) defaultProbe(probe);
  }
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop])
    if (isStruct(handler)) defaultHandler(handler);
}

/** Always for the tag `latest` (given or implied), else IfNotPresent. A digest fixes the image. */
export function pullPolicyOf(image: unknown): 'Always' | 'IfNotPresent' {
  if (typeof image !== 'string' || image === '' || image.includes('@')) return 'IfNotPresent';
  const name = image.slice(image.lastIndexOf('/') + 1);
  const colon = name.indexOf(':');
  return colon < 0 || name.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: Struct): void {
  fillEmpty(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  defaultHandler(probe);
}

function defaultHandler(handler: Struct): void {
  if (isStruct(handler.httpGet)) fillEmpty(handler.httpGet, { path: '/', scheme: 'HTTP' });
  if (isStruct(handler.grpc)) fill(handler.grpc, { service: '' });
}

function requestsFromLimits(container: Struct): void {
  const limits = container.resources?.limits;
  if (!isStruct(limits)) return;
  fill(struct(container.resources, 'requests'), limits);
}

function defaultVolume(volume: Struct): void {
  const sources = Object.keys(volume).filter((key) => key !== 'name' && volume[key] !== undefined && volume[key] !== null);
  if (sources.length === 0) volume.emptyDir = {};
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    if (isStruct(volume[source])) fill(volume[source], { defaultMode: FILE_MODE });
  }
  if (isStruct(volume.hostPath)) fill(volume.hostPath, { type: '' });
  if (isStruct(volume.image)) fillEmpty(volume.image, { pullPolicy: pullPolicyOf(volume.image.reference) });
  forEachStruct(volume.downwardAPI?.items, defaultDownwardFile);
  forEachStruct(volume.projected?.sources, (source) => {
    if (isStruct(source.serviceAccountToken)) fill(source.serviceAccountToken, { expirationSeconds: TOKEN_SECONDS });
    forEachStruct(source.downwardAPI?.items, defaultDownwardFile);
  });
  defaultLegacySource(volume);
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (!isStruct(claim)) return;
  fill(claim, { volumeMode: 'Filesystem' });
  struct(claim, 'resources');
  struct(volume.ephemeral.volumeClaimTemplate, 'metadata');
}

function defaultDownwardFile(file: Struct): void {
  if (isStruct(file.fieldRef)) fillEmpty(file.fieldRef, { apiVersion: 'v1' });
  if (isStruct(file.resourceFieldRef)) fill(file.resourceFieldRef, { divisor: '0' });
}

/** Storage drivers that came before CSI. */
function defaultLegacySource(volume: Struct): void {
  if (isStruct(volume.iscsi)) fillEmpty(volume.iscsi, { iscsiInterface: 'default' });
  if (isStruct(volume.rbd)) fillEmpty(volume.rbd, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' });
  if (isStruct(volume.azureDisk)) {
    fill(volume.azureDisk, { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false });
  }
  if (isStruct(volume.scaleIO)) fillEmpty(volume.scaleIO, { storageMode: 'ThinProvisioned', fsType: 'xfs' });
}
