/** Rules of PersistentVolume sources and affinity (k8s.io/kubernetes/pkg/apis/core/validation): what is in use; old drivers are taken as they come. */
import { nameErrors } from '../../machinery/names.ts';
import type { FieldError } from '../definition.ts';
import { csiNameErrors } from '../storage/validation.ts';
import { forbidden, invalid, invalidEach, isEmptyText, type OwnField, oneOf, required } from '../validation/fields.ts';
import { nodeSelectorTermErrors } from '../validation/pod-spec.ts';

const HOST_PATH_TYPES = ['', 'BlockDevice', 'CharDevice', 'Directory', 'DirectoryOrCreate', 'File', 'FileOrCreate', 'Socket'];
const LUN_MAX = 255;

type SourceCheck = (source: OwnField, field: string) => FieldError[];

const requiredTexts =
  (...members: string[]): SourceCheck =>
  (source, field) =>
    members.filter((member) => isEmptyText(source[member])).map((member) => required(`${field}.${member}`));

const noBacksteps = (field: string, path: unknown): FieldError[] =>
  String(path).split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];

const SOURCES: Readonly<Record<string, SourceCheck>> = {
  hostPath: (source, field) => [
    ...(isEmptyText(source.path) ? [required(`${field}.path`)] : noBacksteps(`${field}.path`, source.path)),
    ...oneOf(`${field}.type`, source.type, HOST_PATH_TYPES),
  ],
  nfs: (source, field) => [
    ...requiredTexts('server', 'path')(source, field),
    ...(String(source.path ?? '').startsWith('/')
      ? []
      : [invalid(`${field}.path`, source.path ?? '', 'must be an absolute path')]),
  ],
  iscsi: (source, field) => [
    ...requiredTexts('targetPortal', 'iqn')(source, field),
    ...(source.lun < 0 || source.lun > LUN_MAX
      ? [invalid(`${field}.lun`, source.lun, 'must be between 0 and 255, inclusive')]
      : []),
  ],
  fc: fibreChannelErrors,
  azureFile: requiredTexts('secretName', 'shareName'),
  local: (source, field) => (isEmptyText(source.path) ? [required(`${field}.path`)] : noBacksteps(`${field}.path`, source.path)),
  csi: (source, field) => [
    ...csiNameErrors(`${field}.driver`, source.driver ?? ''),
    ...requiredTexts('volumeHandle')(source, field),
    // The secrets of a node's stages may be left open; the others name one.
    ...['controllerPublishSecretRef', 'nodePublishSecretRef', 'controllerExpandSecretRef', 'nodeExpandSecretRef'].flatMap(
      (member) => (source[member] ? requiredTexts('name', 'namespace')(source[member], `${field}.${member}`) : []),
    ),
  ],
};

function fibreChannelErrors({ targetWWNs, wwids, lun }: OwnField, field: string): FieldError[] {
  const [names, ids] = [targetWWNs?.length > 0, wwids?.length > 0];
  const at = `${field}.targetWWNs`;
  if (!names && !ids) return [required(at, 'must specify either targetWWNs or wwids, but not both')];
  if (names && ids) return [invalid(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously')];
  if (!names) return [];
  if (lun === undefined) return [required(`${field}.lun`, 'lun is required if targetWWNs is specified')];
  return lun < 0 || lun > LUN_MAX ? [invalid(`${field}.lun`, lun, 'must be between 0 and 255, inclusive')] : [];
}

/** Errors of the source called `name`, and of all that goes with sources. */
export function validateVolumeSource(spec: OwnField, name: string | undefined): FieldError[] {
  const source = name === undefined ? undefined : spec[name];
  const check = name !== undefined && Object.hasOwn(SOURCES, name) ? SOURCES[name] : undefined;
  const { persistentVolumeReclaimPolicy: policy, storageClassName, volumeAttributesClassName: attributes } = spec;
  const isRoot = spec.hostPath?.path === '/' && policy === 'Recycle';
  return [
    ...(check && source ? check(source, `spec.${name}`) : []),
    ...(isRoot ? [forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")] : []),
    ...(isEmptyText(storageClassName)
      ? []
      : invalidEach('spec.storageClassName', storageClassName, nameErrors('subdomain', storageClassName))),
    ...affinityErrors(spec),
    ...attributesErrors(attributes, spec.csi !== undefined),
  ];
}

function affinityErrors({ local, nodeAffinity }: OwnField): FieldError[] {
  const field = 'spec.nodeAffinity';
  if (!nodeAffinity) return local ? [required(field, 'Local volume requires node affinity')] : [];
  if (!nodeAffinity.required) return [required(`${field}.required`, 'must specify required node constraints')];
  const terms = nodeAffinity.required.nodeSelectorTerms;
  const at = `${field}.required.nodeSelectorTerms`;
  return terms?.length > 0 ? nodeSelectorTermErrors(at, terms) : [required(at, 'must have at least one node selector term')];
}

function attributesErrors(name: unknown, hasCsi: boolean): FieldError[] {
  if (name === undefined || name === null) return [];
  const field = 'spec.volumeAttributesClassName';
  const errors =
    name === ''
      ? [required(field, 'an empty string is disallowed')]
      : invalidEach(field, name, nameErrors('subdomain', String(name)));
  return hasCsi ? errors : [...errors, required('spec.csi', 'has to be specified when using volumeAttributesClassName')];
}
