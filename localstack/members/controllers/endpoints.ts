/** Plays the EndpointSlice controller: the addresses of the ready pods that a Service selects, in one slice. */
import { deepEqual } from '../../../shared/machinery/equality.ts';
import type { KubeObject } from '../../../shared/machinery/object.ts';
import { type ControllerContext, controllerReference, tolerateRace } from './context.ts';
import { compareText, isReady, nameOf } from './pods.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
/** Upstream starts a further slice beyond this; simulated Services stay below it, and what is beyond is left out. */
const ENDPOINTS_MAX = 1000;

type ServicePort = { name?: string; port: number; protocol?: string; targetPort?: number | string; appProtocol?: string };

export async function reconcileEndpoints(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const service = context.cache.get('services', namespace, name);
  const selector = service?.spec.selector as Record<string, string> | undefined;
  if (!service || !selector || Object.keys(selector).length === 0 || service.metadata.deletionTimestamp) return;
  const wanted = sliceFor(service, selectedPods(context, namespace, selector));
  const present = context.cache.get('endpointslices', namespace, nameOf(wanted));
  if (!present) {
    await tolerateRace(context.api.create(context.kinds('endpointslices'), wanted, { fieldManager: 'kube-controller-manager' }));
    return;
  }
  if (deepEqual(present.endpoints ?? [], wanted.endpoints) && deepEqual(present.ports ?? [], wanted.ports)) return;
  await tolerateRace(
    context.api.update(
      context.kinds('endpointslices'),
      { ...present, endpoints: wanted.endpoints, ports: wanted.ports },
      { fieldManager: 'kube-controller-manager' },
    ),
  );
}

function selectedPods(context: ControllerContext, namespace: string, selector: Record<string, string>): KubeObject[] {
  const wanted = Object.entries(selector);
  return context.cache
    .inNamespace('pods', namespace)
    .filter(
      (pod) =>
        pod.status?.podIP &&
        !pod.metadata.deletionTimestamp &&
        wanted.every(([key, value]) => pod.metadata.labels?.[key] === value),
    )
    .sort((a, b) => compareText(nameOf(a), nameOf(b)))
    .slice(0, ENDPOINTS_MAX);
}

function sliceFor(service: KubeObject, pods: readonly KubeObject[]): KubeObject {
  const ports = ((service.spec.ports ?? []) as ServicePort[]).map((port) => ({
    name: port.name ?? '',
    protocol: port.protocol ?? 'TCP',
    port: typeof port.targetPort === 'number' ? port.targetPort : port.port,
    ...(port.appProtocol ? { appProtocol: port.appProtocol } : {}),
  }));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${nameOf(service)}-sim`,
      namespace: service.metadata.namespace ?? '',
      labels: { [SERVICE_NAME]: nameOf(service), [MANAGED_BY]: 'endpointslice-controller.k8s.io' },
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    endpoints: pods.map((pod) => ({
      addresses: [pod.status.podIP as string],
      conditions: { ready: isReady(pod), serving: isReady(pod), terminating: false },
      nodeName: pod.spec.nodeName as string,
      targetRef: { kind: 'Pod', name: nameOf(pod), namespace: service.metadata.namespace ?? '', uid: pod.metadata.uid ?? '' },
    })),
    ports,
  };
}

/** Services of the pod's namespace whose selector its labels meet. */
export function servicesOf(context: ControllerContext, pod: KubeObject): KubeObject[] {
  return context.cache.inNamespace('services', pod.metadata.namespace ?? '').filter((service) => {
    const selector = Object.entries((service.spec.selector ?? {}) as Record<string, string>);
    return selector.length > 0 && selector.every(([key, value]) => pod.metadata.labels?.[key] === value);
  });
}
