/** Level `baseline`: what must not be asked for by anybody who does not run the cluster. Sorted by id, as findings are told. */
import type { Struct } from '../defaults/fill.ts';
import {
  type Check,
  containersOf,
  containersText,
  hasUserNamespace,
  listOf,
  namesOf,
  type PodLike,
  plural,
  quoted,
  setters,
  sorted,
  type Violation,
} from './words.ts';

const DEFAULT_CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(' '),
);
/** Sysctls that are safe, with the minor version since which they count as such. */
const SAFE_SYSCTLS: ReadonlyMap<string, number> = new Map([
  ['kernel.shm_rmid_forced', 0],
  ['net.ipv4.ip_local_port_range', 0],
  ['net.ipv4.tcp_syncookies', 0],
  ['net.ipv4.ping_group_range', 0],
  ['net.ipv4.ip_unprivileged_port_start', 0],
  ['net.ipv4.ip_local_reserved_ports', 27],
  ['net.ipv4.tcp_keepalive_time', 29],
  ['net.ipv4.tcp_fin_timeout', 29],
  ['net.ipv4.tcp_keepalive_intvl', 29],
  ['net.ipv4.tcp_keepalive_probes', 29],
  ['net.ipv4.tcp_rmem', 32],
  ['net.ipv4.tcp_wmem', 32],
]);
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t']);
const SELINUX_ENGINE_TYPE = 'container_engine_t';
const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

const contextOf = (container: Struct): Struct => container?.securityContext ?? {};

function appArmor(pod: PodLike): Violation | undefined {
  const isBad = (context: Struct) => {
    const type = context.appArmorProfile?.type;
    return type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
  };
  const own = pod.spec.securityContext ?? {};
  const bad = containersOf(pod).filter((container) => isBad(contextOf(container)));
  const annotations = Object.entries(pod.metadata.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APP_ARMOR_ANNOTATION) && !isAllowedAppArmor(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const values = sorted(
    [...(isBad(own) ? [own] : []), ...bad.map(contextOf)].map((context) => String(context.appArmorProfile.type)),
  );
  const all = [...values, ...annotations];
  if (all.length === 0) return undefined;
  const who = setters(isBad(own), bad);
  const by = [who, annotations.length > 0 ? plural('annotation', 'annotations', annotations.length) : ''].filter(Boolean);
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', all.length),
    detail: `${by.join(' and ')} must not set AppArmor profile type to ${quoted(all)}`,
  };
}

const isAllowedAppArmor = (value: string): boolean =>
  value === '' || value === 'runtime/default' || value.startsWith('localhost/');

function capabilities(pod: PodLike): Violation | undefined {
  const added = (container: Struct) =>
    listOf(contextOf(container).capabilities?.add)
      .map(String)
      .filter((name) => !DEFAULT_CAPABILITIES.has(name));
  const bad = containersOf(pod).filter((container) => added(container).length > 0);
  if (bad.length === 0) return undefined;
  const names = quoted(sorted(bad.flatMap(added)));
  return {
    reason: 'non-default capabilities',
    detail: `${containersText(bad)} must not include ${names} in securityContext.capabilities.add`,
  };
}

function hostNamespaces({ spec }: PodLike): Violation | undefined {
  const asked = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  return asked.length === 0 ? undefined : { reason: 'host namespaces', detail: asked.map((field) => `${field}=true`).join(', ') };
}

function hostPaths({ spec }: PodLike): Violation | undefined {
  const bad = listOf(spec.volumes).filter(({ hostPath }) => hostPath);
  if (bad.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', bad.length)} ${quoted(namesOf(bad))}` };
}

function hostPorts(pod: PodLike): Violation | undefined {
  const portsOf = (container: Struct) => listOf(container?.ports).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = containersOf(pod).filter((container) => portsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sorted(bad.flatMap(portsOf));
  const uses = `${plural('uses', 'use', bad.length)} ${plural('hostPort', 'hostPorts', ports.length)}`;
  return { reason: 'hostPort', detail: `${containersText(bad)} ${uses} ${ports.join(', ')}` };
}

function hostProbes(pod: PodLike): Violation | undefined {
  const hostsOf = (container: Struct) => {
    const { livenessProbe, readinessProbe, startupProbe, lifecycle } = container ?? {};
    const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
    return handlers.flatMap((handler) => [handler?.httpGet?.host, handler?.tcpSocket?.host]).filter((host) => host);
  };
  const bad = containersOf(pod).filter((container) => hostsOf(container).length > 0);
  if (bad.length === 0) return undefined;
  const hosts = sorted(bad.flatMap(hostsOf).map(String));
  const names = sorted(namesOf(bad));
  const who = `${plural('container', 'containers', names.length)} ${quoted(names)} ${plural('uses', 'use', names.length)}`;
  const what = plural('probe or lifecycle host', 'probe or lifecycle hosts', hosts.length);
  return { reason: 'probe or lifecycle host', detail: `${who} ${what} ${quoted(hosts)}` };
}

function privileged(pod: PodLike): Violation | undefined {
  const bad = containersOf(pod).filter((container) => contextOf(container).privileged === true);
  if (bad.length === 0) return undefined;
  return { reason: 'privileged', detail: `${containersText(bad)} must not set securityContext.privileged=true` };
}

/** Also the rule of level `restricted`, where no user namespace relaxes it. */
export function procMount(pod: PodLike): Violation | undefined {
  const mountOf = (container: Struct) => contextOf(container).procMount;
  const bad = containersOf(pod).filter((container) => mountOf(container) !== undefined && mountOf(container) !== 'Default');
  if (bad.length === 0) return undefined;
  const types = quoted(sorted(bad.map((container) => String(mountOf(container)))));
  return { reason: 'procMount', detail: `${containersText(bad)} must not set securityContext.procMount to ${types}` };
}

function seLinux(pod: PodLike, minor: number): Violation | undefined {
  const isAllowed = (type: string) => SELINUX_TYPES.has(type) || (minor >= 31 && type === SELINUX_ENGINE_TYPE);
  const isBad = ({ seLinuxOptions: options }: Struct) =>
    options !== undefined && (!isAllowed(options.type ?? '') || Boolean(options.user) || Boolean(options.role));
  const own = pod.spec.securityContext ?? {};
  const bad = containersOf(pod).filter((container) => isBad(contextOf(container)));
  const contexts: Struct[] = [...(isBad(own) ? [own] : []), ...bad.map(contextOf)];
  if (contexts.length === 0) return undefined;
  const types = sorted(
    contexts.map(({ seLinuxOptions }) => String(seLinuxOptions.type ?? '')).filter((type) => !isAllowed(type)),
  );
  const found = [
    ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
    ...(contexts.some(({ seLinuxOptions }) => seLinuxOptions.user) ? ['user may not be set'] : []),
    ...(contexts.some(({ seLinuxOptions }) => seLinuxOptions.role) ? ['role may not be set'] : []),
  ];
  const who = setters(isBad(own), bad);
  return { reason: 'seLinuxOptions', detail: `${who} set forbidden securityContext.seLinuxOptions: ${found.join('; ')}` };
}

function seccomp(pod: PodLike): Violation | undefined {
  const typeOf = (context: Struct): string | undefined => context.seccompProfile?.type;
  const isBad = (context: Struct) => ![undefined, 'RuntimeDefault', 'Localhost'].includes(typeOf(context));
  const own = pod.spec.securityContext ?? {};
  const bad = containersOf(pod).filter((container) => isBad(contextOf(container)));
  if (!isBad(own) && bad.length === 0) return undefined;
  const who = setters(isBad(own), bad);
  const types = [...(isBad(own) ? [own] : []), ...bad.map(contextOf)].map((context) => String(typeOf(context)));
  return {
    reason: 'seccompProfile',
    detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}`,
  };
}

function sysctls({ spec }: PodLike, minor: number): Violation | undefined {
  const names = listOf(spec.securityContext?.sysctls).map(({ name }) => String(name));
  const bad = names.filter((name) => (SAFE_SYSCTLS.get(name) ?? Number.POSITIVE_INFINITY) > minor);
  return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
}

function hostProcess(pod: PodLike): Violation | undefined {
  const isBad = (context: Struct) => context.windowsOptions?.hostProcess === true;
  const own = pod.spec.securityContext ?? {};
  const bad = containersOf(pod).filter((container) => isBad(contextOf(container)));
  if (!isBad(own) && bad.length === 0) return undefined;
  const who = setters(isBad(own), bad);
  return { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
}

const level = 'baseline';
export const BASELINE: readonly Check[] = [
  { id: 'appArmorProfile', level, since: 0, violation: appArmor },
  { id: 'capabilities_baseline', level, since: 0, violation: capabilities },
  { id: 'hostNamespaces', level, since: 0, violation: hostNamespaces },
  { id: 'hostPathVolumes', level, since: 0, violation: hostPaths },
  { id: 'hostPorts', level, since: 0, violation: hostPorts },
  { id: 'hostProbesAndHostLifecycle', level, since: 34, violation: hostProbes },
  { id: 'privileged', level, since: 0, violation: privileged },
  {
    id: 'procMount',
    level,
    since: 0,
    violation: (pod, minor) => (hasUserNamespace(pod, minor) ? undefined : procMount(pod)),
  },
  { id: 'seLinuxOptions', level, since: 0, violation: seLinux },
  { id: 'seccompProfile_baseline', level, since: 19, violation: seccomp },
  { id: 'sysctls', level, since: 0, violation: sysctls },
  { id: 'windowsHostProcess', level, since: 0, violation: hostProcess },
];
