/** Level `restricted`: today's good practice for pods, beside level `baseline`. Sorted by id, as findings are told. */
import type { Struct } from '../defaults/fill.ts';
import { procMount } from './baseline.ts';
import {
  type Check,
  containersOf,
  containersText,
  hasUserNamespace,
  isWindows,
  listOf,
  namesOf,
  type PodLike,
  plural,
  quoted,
  setters,
  sorted,
  type Violation,
} from './words.ts';

const ALLOWED_VOLUMES = 'configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret'.split(' ');
const OTHER_VOLUMES =
  'hostPath gcePersistentDisk awsElasticBlockStore gitRepo nfs iscsi glusterfs rbd flexVolume cinder cephfs flocker fc azureFile vsphereVolume quobyte azureDisk photonPersistentDisk portworxVolume scaleIO storageos'.split(
    ' ',
  );

const contextOf = (container: Struct): Struct => container?.securityContext ?? {};

function privilegeEscalation(pod: PodLike, minor: number): Violation | undefined {
  if (minor >= 25 && isWindows(pod)) return undefined;
  const bad = containersOf(pod).filter((container) => contextOf(container).allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
}

function capabilities(pod: PodLike, minor: number): Violation | undefined {
  if (minor >= 25 && isWindows(pod)) return undefined;
  const all = containersOf(pod);
  const keeping = all.filter(
    (container) => !listOf(contextOf(container).capabilities?.drop).some((name) => String(name) === 'ALL'),
  );
  const added = (container: Struct) =>
    listOf(contextOf(container).capabilities?.add)
      .map(String)
      .filter((name) => name !== 'NET_BIND_SERVICE');
  const adding = all.filter((container) => added(container).length > 0);
  const details = [
    ...(keeping.length > 0 ? [`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [
          `${containersText(adding)} must not include ${quoted(sorted(adding.flatMap(added)))} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

function volumes({ spec }: PodLike): Violation | undefined {
  const bad = listOf(spec.volumes).filter((volume) => !ALLOWED_VOLUMES.some((type) => volume[type]));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map((volume) => OTHER_VOLUMES.find((type) => volume[type]) ?? 'unknown'));
  const who = `${plural('volume', 'volumes', bad.length)} ${quoted(namesOf(bad))} ${plural('uses', 'use', bad.length)}`;
  const what = plural('restricted volume type', 'restricted volume types', types.length);
  return { reason: 'restricted volume types', detail: `${who} ${what} ${quoted(types)}` };
}

function nonRoot(pod: PodLike, minor: number): Violation | undefined {
  if (hasUserNamespace(pod, minor)) return undefined;
  const reason = 'runAsNonRoot != true';
  const own: unknown = pod.spec.securityContext?.runAsNonRoot;
  const all = containersOf(pod);
  const bad = all.filter((container) => contextOf(container).runAsNonRoot === false);
  if (own === false || bad.length > 0)
    return { reason, detail: `${setters(own === false, bad)} must not set securityContext.runAsNonRoot=false` };
  const silent = own === true ? [] : all.filter((container) => typeof contextOf(container).runAsNonRoot !== 'boolean');
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` };
}

function rootUser(pod: PodLike, minor: number): Violation | undefined {
  if (hasUserNamespace(pod, minor)) return undefined;
  const isPod = pod.spec.securityContext?.runAsUser === 0;
  const bad = containersOf(pod).filter((container) => contextOf(container).runAsUser === 0);
  if (!isPod && bad.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters(isPod, bad)} must not set runAsUser=0` };
}

function seccomp(pod: PodLike, minor: number): Violation | undefined {
  if (minor >= 25 && isWindows(pod)) return undefined;
  const reason = 'seccompProfile';
  const typeOf = (context: Struct): string | undefined => context.seccompProfile?.type;
  const isBad = (type: string | undefined) => type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
  const own = typeOf(pod.spec.securityContext ?? {});
  const all = containersOf(pod);
  const bad = all.filter((container) => isBad(typeOf(contextOf(container))));
  if (isBad(own) || bad.length > 0) {
    const types = [...(isBad(own) ? [String(own)] : []), ...bad.map((container) => String(typeOf(contextOf(container))))];
    const who = setters(isBad(own), bad);
    return { reason, detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}` };
  }
  const silent = own === undefined ? all.filter((container) => typeOf(contextOf(container)) === undefined) : [];
  if (silent.length === 0) return undefined;
  return {
    reason,
    detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

const level = 'restricted';
export const RESTRICTED: readonly Check[] = [
  { id: 'allowPrivilegeEscalation', level, since: 8, violation: privilegeEscalation },
  { id: 'capabilities_restricted', level, since: 22, overrides: ['capabilities_baseline'], violation: capabilities },
  { id: 'procMount_restricted', level, since: 35, overrides: ['procMount'], violation: procMount },
  { id: 'restrictedVolumes', level, since: 0, overrides: ['hostPathVolumes'], violation: volumes },
  { id: 'runAsNonRoot', level, since: 0, violation: nonRoot },
  { id: 'runAsUser', level, since: 23, violation: rootUser },
  { id: 'seccompProfile_restricted', level, since: 19, overrides: ['seccompProfile_baseline'], violation: seccomp },
];
