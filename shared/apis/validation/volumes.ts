/** Rules of a pod's volumes (ValidateVolumes of k8s.io/kubernetes/pkg/apis/core/validation). */
import { nameErrors } from '../../machinery/names.ts';
import type { FieldError } from '../definition.ts';
import { duplicate, eachItem, forbidden, invalid, invalidEach, isEmptyText, type OwnField, oneOf, required } from './fields.ts';
import { localPathErrors } from './formats.ts';

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive';
const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];

/** Sources in the order in which upstream looks for them: the first one counts, others are forbidden. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'flocker',
  'downwardAPI',
  'fc',
  'azureFile',
  'configMap',
  'vsphereVolume',
  'quobyte',
  'photonPersistentDisk',
  'azureDisk',
  'portworxVolume',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
] as const;

/** Errors of `volumes`, and the names that containers may mount: those of volumes without an error. */
export function validateVolumes(field: string, volumes: unknown): { errors: FieldError[]; names: ReadonlySet<string> } {
  const names = new Set<string>();
  const errors = eachItem(field, volumes, (volume, path) => {
    const name = volume?.name;
    const found = [...sourceErrors(volume, path), ...volumeName(name, path)];
    if (names.has(name)) found.push(duplicate(`${path}.name`, name));
    if (found.length === 0) names.add(name);
    return found;
  });
  return { errors, names };
}

function volumeName(name: unknown, path: string): FieldError[] {
  return isEmptyText(name) ? [required(`${path}.name`)] : invalidEach(`${path}.name`, name, nameErrors('label', String(name)));
}

function sourceErrors(volume: OwnField, path: string): FieldError[] {
  const present = SOURCES.filter((source) => volume?.[source] !== undefined && volume[source] !== null);
  const [first, ...others] = present;
  if (first === undefined) return [required(path, 'must specify a volume type')];
  return [
    ...(CHECKS[first]?.(volume[first], `${path}.${first}`) ?? []),
    ...others.map((other) => forbidden(`${path}.${other}`, 'may not specify more than 1 volume type')),
  ];
}

const CHECKS: Partial<Record<(typeof SOURCES)[number], (source: OwnField, path: string) => FieldError[]>> = {
  hostPath: (source, path) =>
    isEmptyText(source.path)
      ? [required(`${path}.path`)]
      : [...noBacksteps(source.path, `${path}.path`), ...oneOf(`${path}.type`, source.type, HOST_PATH_TYPES)],
  secret: (source, path) => [...requiredText(source.secretName, `${path}.secretName`), ...fileErrors(source, path)],
  configMap: (source, path) => [...requiredText(source.name, `${path}.name`), ...fileErrors(source, path)],
  nfs: (source, path) => [
    ...requiredText(source.server, `${path}.server`),
    ...requiredText(source.path, `${path}.path`),
    ...(source.path && !String(source.path).startsWith('/')
      ? [invalid(`${path}.path`, source.path, 'must be an absolute path')]
      : []),
  ],
  persistentVolumeClaim: (source, path) => requiredText(source.claimName, `${path}.claimName`),
  csi: (source, path) => requiredText(source.driver, `${path}.driver`),
  ephemeral: (source, path) => (source.volumeClaimTemplate ? [] : [required(`${path}.volumeClaimTemplate`)]),
  projected: (source, path) => [
    ...modeErrors(source.defaultMode, `${path}.defaultMode`),
    ...eachItem(`${path}.sources`, source.sources, projectionErrors),
  ],
};

function projectionErrors(source: OwnField, path: string): FieldError[] {
  return [
    ...(source?.secret
      ? [...requiredText(source.secret.name, `${path}.secret.name`), ...items(source.secret, `${path}.secret`)]
      : []),
    ...(source?.configMap
      ? [...requiredText(source.configMap.name, `${path}.configMap.name`), ...items(source.configMap, `${path}.configMap`)]
      : []),
    ...(source?.serviceAccountToken ? requiredText(source.serviceAccountToken.path, `${path}.serviceAccountToken.path`) : []),
  ];
}

function requiredText(value: unknown, field: string): FieldError[] {
  return isEmptyText(value) ? [required(field)] : [];
}

function fileErrors(source: OwnField, path: string): FieldError[] {
  return [...modeErrors(source.defaultMode, `${path}.defaultMode`), ...items(source, path)];
}

function items(source: OwnField, path: string): FieldError[] {
  return eachItem(`${path}.items`, source.items, (item, at) => [
    ...requiredText(item?.key, `${at}.key`),
    ...(isEmptyText(item?.path) ? [required(`${at}.path`)] : invalidEach(`${at}.path`, item.path, localPathErrors(item.path))),
    ...modeErrors(item?.mode, `${at}.mode`),
  ]);
}

function modeErrors(mode: unknown, field: string): FieldError[] {
  return typeof mode === 'number' && (mode < 0 || mode > 0o777) ? [invalid(field, mode, FILE_MODE)] : [];
}

function noBacksteps(path: unknown, field: string): FieldError[] {
  return String(path).split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}
