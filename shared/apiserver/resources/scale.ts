/** The Scale (`autoscaling/v1`) of any kind that declares its paths. Pure. */
import type { ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject, JsonValue, KubeObject } from '../../machinery/object.ts';
import { getPath, setPath } from '../../machinery/paths.ts';
import { formatRequirements, type LabelSelector, labelSelectorRequirements } from '../../machinery/selectors.ts';
import { badRequest, invalid } from '../../machinery/status.ts';
import { isJsonObject } from '../http/body.ts';

/** Shows an object as its Scale. `resourceVersion` is the object's own. */
export function scaleOf(definition: ResourceDefinition, object: KubeObject): KubeObject {
  const paths = definition.scale;
  if (paths === undefined) throw badRequest(`${definition.plural} have no scale`);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const read = (path: string) => getPath(object as unknown as JsonObject, path);
  const selector = selectorText(paths.labelSelector === '' ? undefined : read(paths.labelSelector));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { replicas: read(paths.specReplicas) ?? 0 },
    status: { replicas: read(paths.statusReplicas) ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** A selector as text: label selectors as HPAs need them; CRDs hold the text itself; old kinds hold a plain map. */
function selectorText(selector: JsonValue | undefined): string {
  if (typeof selector === 'string') return selector;
  if (!isJsonObject(selector)) return '';
  const plain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return formatRequirements(labelSelectorRequirements((plain ? { matchLabels: selector } : selector) as LabelSelector));
}

/** Puts a Scale's count and version into a copy of the object. Throws 400 and 422 for what is no Scale. */
export function withScale(definition: ResourceDefinition, copy: KubeObject, scale: JsonObject): KubeObject {
  const spec = scale.spec ?? {};
  const metadata = scale.metadata ?? {};
  if (!isJsonObject(spec) || !isJsonObject(metadata))
    throw badRequest('the body is not a Scale: spec and metadata must be objects');
  const replicas = spec.replicas ?? 0;
  if (typeof replicas !== 'number' || !Number.isInteger(replicas))
    throw badRequest('Scale in version "v1" cannot be handled as a Scale: spec.replicas must be an integer');
  const name = copy.metadata.name ?? '';
  if (replicas < 0)
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      { type: 'Invalid', field: 'spec.replicas', detail: `Invalid value: ${replicas}: must be greater than or equal to 0` },
    ]);
  if (metadata.name !== undefined && metadata.name !== name)
    throw badRequest(`the name of the object (${String(metadata.name)}) does not match the name on the URL (${name})`);
  const version = metadata.resourceVersion;
  if (typeof version === 'string' && version !== '') copy.metadata.resourceVersion = version;
  const uid = metadata.uid;
  if (typeof uid === 'string' && uid !== '') copy.metadata.uid = uid;
  setPath(copy as unknown as JsonObject, definition.scale?.specReplicas ?? 'spec.replicas', replicas);
  return copy;
}
