/** Figures of other control planes, measured on a machine of two cores by their own code: what ours are set beside where a peer is not run here. */

/** How replicas are divided in a decision. */
export type Mode = 'duplicate' | 'dynamic' | 'static';

/** Microseconds of one decision of KubeAdmiral's and Karmada's scheduler for 1,000 replicas, without any explanation. */
export const PEER_DECISION_US: Readonly<Record<number, Record<Mode, { kubeadmiral: number; karmada: number }>>> = {
  3: {
    duplicate: { kubeadmiral: 25, karmada: 24 },
    dynamic: { kubeadmiral: 33, karmada: 116 },
    static: { kubeadmiral: 29, karmada: 121 },
  },
  100: {
    duplicate: { kubeadmiral: 700, karmada: 750 },
    dynamic: { kubeadmiral: 1000, karmada: 1000 },
    static: { kubeadmiral: 740, karmada: 1050 },
  },
  500: {
    duplicate: { kubeadmiral: 3200, karmada: 4400 },
    dynamic: { kubeadmiral: 6400, karmada: 5000 },
    static: { kubeadmiral: 4300, karmada: 7100 },
  },
  5000: {
    duplicate: { kubeadmiral: 42_000, karmada: 66_000 },
    dynamic: { kubeadmiral: 62_000, karmada: 69_000 },
    static: { kubeadmiral: 54_000, karmada: 218_000 },
  },
};

/** 1,000 Deployments (0 replicas, Duplicate) on three real members. Seconds, milliseconds of host CPU per object, megabytes, store writes per object. */
export const PEER_BURST: readonly {
  name: string;
  placedS: number;
  perSecond: number;
  p50S: number;
  p99S: number;
  cpuMs: number;
  memoryMb: number;
  writes: number;
}[] = [
  { name: 'KubeAdmiral', placedS: 99, perSecond: 10.1, p50S: 58, p99S: 97, cpuMs: 162, memoryMb: 2900, writes: 40 },
  { name: 'KubeAdmiral, 20 workers', placedS: 61, perSecond: 16.3, p50S: 34, p99S: 55, cpuMs: 93, memoryMb: 2200, writes: 19 },
  {
    name: 'Karmada 1.18, raised limits',
    placedS: 102,
    perSecond: 9.8,
    p50S: 48,
    p99S: 93,
    cpuMs: 182,
    memoryMb: 2900,
    writes: 26,
  },
];
