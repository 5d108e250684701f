/** The member clusters of `dev`: simulated ones, or those of a kubeconfig; registered as FederatedClusters. */
import { join } from 'node:path';
import { loadKubeconfig } from '../../shared/adapters/kubernetes/kubeconfig.ts';
import type { KubeObject } from '../../shared/machinery/object.ts';
import type { Clock } from '../../shared/ports/system.ts';
import { memberSpecs, totals } from '../members/catalogue.ts';
import { type MemberAccess, startMembers } from '../members/pool.ts';
import type { CertificateAuthority } from '../tls.ts';
import { clusterObjects, registerClusters, simulatedCluster } from './bootstrap.ts';
import type { ControlActions } from './control.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Endpoint } from './kubeconfig.ts';
import type { DevOptions } from './options.ts';

const JOIN_TIMEOUT_MS = 15_000;
const LINES_MAX = 10;

export type JoinedMembers = {
  summary: string;
  lines: readonly string[];
  endpoints: readonly Endpoint[];
  actions: ControlActions;
  close(): Promise<void>;
};

type Deps = { options: DevOptions; plane: ControlPlane; authority: CertificateAuthority; clock: Clock };

/** Starts or finds the clusters, registers them, and waits until they are joined (or says which are not). */
export async function joinMembers(deps: Deps): Promise<JoinedMembers> {
  return deps.options.members === undefined ? joinSimulated(deps) : joinReal(deps, deps.options.members);
}

async function joinSimulated({ options, plane, authority, clock }: Deps): Promise<JoinedMembers> {
  const pool = await startMembers({ dataDir: join(options.dataDir, 'members'), specs: memberSpecs(options.clusters), authority });
  const register = (member: MemberAccess) =>
    registerClusters(plane.server, plane.registry(), simulatedCluster(member, authority.caCert));
  for (const member of pool.list()) await register(member);
  const names = pool.list().map(({ spec }) => spec.name);
  const missing = await waitForJoin(plane, clock, names);
  return {
    summary:
      names.length === 0
        ? 'none'
        : `${names.length} simulated, ${missing.length === 0 ? 'joined' : `not yet joined: ${missing.join(', ')}`}`,
    lines: [...memberLines(pool.list()), ...leftOutLines(await registered(plane), names)],
    endpoints: pool.list().map(({ spec, url, token }) => ({ name: spec.name, url, token, caCert: authority.caCert })),
    actions: {
      names: () => names,
      down: (name) => pool.stop(name),
      up: async (name) => {
        const started = await pool.start(name);
        const member = pool.list().find(({ spec }) => spec.name === name);
        // It may have come back at another port.
        if (started && member) await register(member);
        return started;
      },
    },
    close: () => pool.close(),
  };
}

async function joinReal({ plane, clock }: Deps, path: string): Promise<JoinedMembers> {
  const connections = await loadKubeconfig(path);
  const renamed = connections.map((connection) => ({ ...connection, cluster: clusterName(connection.cluster) }));
  for (const connection of renamed) await registerClusters(plane.server, plane.registry(), clusterObjects(connection));
  const names = renamed.map(({ cluster }) => cluster);
  const missing = await waitForJoin(plane, clock, names);
  return {
    summary: `${names.length} of ${path}, ${missing.length === 0 ? 'joined' : `not yet joined: ${missing.join(', ')}`}`,
    lines: renamed.slice(0, LINES_MAX).map(({ cluster, server }) => `${cluster}   ${server}`),
    endpoints: renamed.map(({ cluster, server, insecure, caData, token, certData, keyData }) => ({
      name: cluster,
      url: server,
      insecure,
      ...(caData ? { caCert: caData } : {}),
      ...(token ? { token } : {}),
      ...(certData && keyData ? { cert: certData, key: keyData } : {}),
    })),
    actions: { names: () => [], down: async () => false, up: async () => false },
    close: async () => undefined,
  };
}

/** Contexts may be named by addresses or ARNs; objects are named by RFC 1123. */
export function clusterName(context: string): string {
  return (
    context
      .toLowerCase()
      .replace(/[^a-z0-9.-]+/g, '-')
      .replace(/^[-.]+/, '')
      .slice(0, 63)
      .replace(/[-.]+$/, '') || 'member'
  );
}

/** Waits a while for all clusters to be joined and ready; answers the names of those that are not. */
async function waitForJoin(plane: ControlPlane, clock: Clock, names: readonly string[]): Promise<string[]> {
  const definition = plane.registry().byResource('core.kubeadmiral.io', 'v1alpha1', 'federatedclusters');
  if (!definition || names.length === 0) return [];
  const deadline = clock.now() + JOIN_TIMEOUT_MS;
  for (;;) {
    const { items } = await plane.server.resources.list(definition, {});
    const missing = names.filter((name) => !items.some((cluster) => cluster.metadata.name === name && isUsable(cluster)));
    if (missing.length === 0 || clock.now() > deadline) return missing;
    await clock.sleep(50);
  }
}

async function registered(plane: ControlPlane): Promise<readonly KubeObject[]> {
  const definition = plane.registry().byResource('core.kubeadmiral.io', 'v1alpha1', 'federatedclusters');
  return definition ? (await plane.server.resources.list(definition, {})).items : [];
}

/** Simulated clusters of an earlier start that this one leaves out: they stay registered, and what they ran stays counted. */
export function leftOutLines(clusters: readonly KubeObject[], started: readonly string[]): string[] {
  const left = clusters
    .filter(({ metadata }) => metadata.labels?.['lamiral.dev/simulated'] === 'true' && !started.includes(metadata.name ?? ''))
    .map(({ metadata }) => metadata.name ?? '');
  if (left.length === 0) return [];
  const more = left.length > LINES_MAX ? ` and ${left.length - LINES_MAX} more` : '';
  return [
    `not started this time: ${left.slice(0, LINES_MAX).join(', ')}${more}`,
    '(a larger --clusters starts them again, `kubectl delete fcluster NAME` forgets one)',
  ];
}

function isUsable(cluster: KubeObject): boolean {
  const conditions = (cluster.status?.conditions ?? []) as { type: string; status: string }[];
  return ['Joined', 'Ready'].every((type) =>
    conditions.some((condition) => condition.type === type && condition.status === 'True'),
  );
}

function memberLines(members: readonly MemberAccess[]): string[] {
  const lines = members.slice(0, LINES_MAX).map(({ spec }) => {
    const { cpu, memory } = totals(spec);
    return `${spec.name.padEnd(5)} ${String(spec.nodes).padStart(2)} nodes  ${String(cpu).padStart(3)} cpu  ${memory.padStart(6)}   ${spec.region.padEnd(11)}  ${spec.pricePerCpuHour} $/cpu h`;
  });
  return members.length > LINES_MAX ? [...lines, `and ${members.length - LINES_MAX} more`] : lines;
}
