/**
 * The OpenAPI documents of a registry: upstream's for its own kinds, with the schemas and paths of all others added. Pure, but for reading
 * the type data.
 */
import { openApiV2Text, openApiV3PathText, openApiV3Text } from '../../apis/data/load.ts';
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { kindPaths } from './kind-paths.ts';
import { kindSchemas, type OpenApiForm, sharedSchemas } from './kind-schemas.ts';

/** `api/v1` and `apis/{group}/{version}` of all that is served. */
export function groupVersionPaths(registry: Registry): string[] {
  return registry
    .groups()
    .flatMap(({ group, versions }) =>
      versions.map((version) => `${group === '' ? 'api' : 'apis'}/${formatApiVersion(group, version)}`),
    );
}

/** The v3 document of a path (`apis/apps/v1`, `version`); undefined when nothing is described there. */
export function versionThree(registry: Registry, path: string): string | undefined {
  if (!groupVersionPaths(registry).includes(path)) return openApiV3PathText(path);
  const [root, second = '', third = ''] = path.split('/');
  const [group, version] = root === 'api' ? ['', second] : [second, third];
  const own = registry.all().filter((each) => each.group === group && each.version === version && !each.builtIn);
  const upstream = openApiV3Text(group, version);
  if (own.length === 0 && upstream !== undefined) return upstream;
  const base = upstream === undefined ? EMPTY : (JSON.parse(upstream) as ThreeDocument);
  const { schemas, paths } = describe(own, 'v3');
  return JSON.stringify({
    ...base,
    paths: { ...base.paths, ...paths },
    components: { ...base.components, schemas: { ...sharedSchemas(), ...base.components.schemas, ...schemas } },
  });
}

type ThreeDocument = { paths: JsonObject; components: { schemas: JsonObject } };

const EMPTY = {
  openapi: '3.0.0',
  info: { title: 'Kubernetes CRD Swagger', version: 'v0.1.0' },
  paths: {},
  components: { schemas: {} },
};

/** The one v2 document, as text or (where kinds were added to upstream's) as the object that it is. */
export function versionTwo(registry: Registry): { text: string } | { document: JsonObject } {
  const own = registry.all().filter((definition) => !definition.builtIn);
  const text = openApiV2Text();
  if (own.length === 0) return { text };
  const base = JSON.parse(text) as JsonObject & { definitions: JsonObject; paths: JsonObject };
  const { schemas, paths } = describe(own, 'v2');
  return {
    document: { ...base, definitions: { ...base.definitions, ...schemas }, paths: { ...base.paths, ...paths } },
  };
}

function describe(definitions: readonly ResourceDefinition[], form: OpenApiForm): { schemas: JsonObject; paths: JsonObject } {
  const schemas: JsonObject = {};
  const paths: JsonObject = {};
  for (const definition of definitions) {
    Object.assign(schemas, kindSchemas(definition, form));
    Object.assign(paths, kindPaths(definition, form));
  }
  return { schemas, paths };
}
