/** From a CustomResourceDefinition to the kinds that it declares: one definition per version. Pure; schemas are compiled on first use. */
import { createHash } from 'node:crypto';
import type { KubeObject } from '../../machinery/object.ts';
import { defineResource, type KindDeclaration } from '../declare.ts';
import type { CustomOrigin, ResourceDefinition, ScalePaths, Verb } from '../definition.ts';
import { once } from '../once.ts';
import { customColumns, customField } from './columns.ts';
import {
  type CrdNames,
  type CrdScale,
  type CrdSpec,
  type CrdVersion,
  compareVersions,
  isCrdCondition,
  specOf,
  statusOf,
  storageVersionOf,
} from './crd.ts';
import { compileCustom } from './schema.ts';
import { customStrategy } from './strategy.ts';

/** As upstream lists them in discovery, which differs from built-in kinds. */
const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/**
 * What a definition serves: its served versions, the preferred one first, once its names are accepted (`Established`). None before that, and
 * none of a definition that names no storage version.
 */
export function servedDefinitions(crd: KubeObject): ResourceDefinition[] {
  if (!isCrdCondition(crd, 'Established')) return [];
  return versionDefinitions(crd, (version) => version.served);
}

/** The definition in whose version objects are written, served or not: for whoever must reach all instances. */
export function storageDefinition(crd: KubeObject): ResourceDefinition | undefined {
  return versionDefinitions(crd, (version) => version.storage)[0];
}

function versionDefinitions(crd: KubeObject, wanted: (version: CrdVersion) => boolean): ResourceDefinition[] {
  const spec = specOf(crd);
  const storage = storageVersionOf(spec);
  if (storage === undefined) return [];
  const origin: CustomOrigin = {
    crd: crd.metadata.name ?? '',
    uid: crd.metadata.uid ?? '',
    storageVersion: storage.name,
    pristine: crd.metadata.generation === 1,
    terminating: isCrdCondition(crd, 'Terminating'),
    conversion: spec.conversion ?? { strategy: 'None' },
    storedFields: selectableFields(storage),
  };
  const accepted = statusOf(crd).acceptedNames;
  const names = accepted?.kind ? accepted : spec.names;
  const versions = spec.versions.filter(wanted).sort((a, b) => compareVersions(a.name, b.name));
  return versions.map((version) => versionDefinition(spec, names, version, origin));
}

function versionDefinition(spec: CrdSpec, names: CrdNames, version: CrdVersion, origin: CustomOrigin): ResourceDefinition {
  const { group, scope } = spec;
  const { status, scale } = version.subresources ?? {};
  const source = version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const compiled = once(() => compileCustom(source));
  const declaration: KindDeclaration = {
    generation: true,
    columns: customColumns(version.additionalPrinterColumns),
    selectableFields: selectableFields(version),
    strategy: customStrategy(compiled, scale ?? undefined),
    custom: origin,
    openApiSchema: () => source,
    ...(scale ? { scale: scalePaths(scale) } : {}),
    ...(version.deprecated ? { deprecation: version.deprecationWarning ?? deprecationText(spec, version.name) } : {}),
  };
  return defineResource(
    {
      group,
      version: version.name,
      kind: names.kind,
      listKind: names.listKind || `${names.kind}List`,
      plural: spec.names.plural,
      singular: names.singular || names.kind.toLowerCase(),
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      namespaced: scope === 'Namespaced',
      verbs: VERBS,
      status: status !== undefined && status !== null,
      builtIn: false,
      schema: () => compiled().schema,
      storageVersionHash: storageVersionHash(`${group}/${origin.storageVersion}/${names.kind}`),
    },
    declaration,
  );
}

function selectableFields(version: CrdVersion): ResourceDefinition['selectableFields'] {
  return new Map((version.selectableFields ?? []).map(({ jsonPath }) => customField(jsonPath)));
}

function scalePaths({ specReplicasPath, statusReplicasPath, labelSelectorPath = '' }: CrdScale): ScalePaths {
  const plain = (path: string) => path.replace(/^\./, '');
  return {
    specReplicas: plain(specReplicasPath),
    statusReplicas: plain(statusReplicasPath),
    labelSelector: plain(labelSelectorPath),
  };
}

function storageVersionHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

/** What upstream says of a deprecated version that brings no words of its own: with the best version to go to, if one is newer. */
function deprecationText({ group, names, versions }: CrdSpec, deprecated: string): string {
  const text = `${group}/${deprecated} ${names.kind} is deprecated`;
  const [better] = versions
    .filter(({ name, served, deprecated: old }) => served && !old && compareVersions(name, deprecated) < 0)
    .sort((a, b) => compareVersions(a.name, b.name));
  return better === undefined ? text : `${text}; use ${group}/${better.name} ${names.kind}`;
}
