/** A write as webhooks and expressions see it: the request of an AdmissionReview without its objects. */
import type { ResourceDefinition } from '../../apis/definition.ts';
import type { JsonObject, KubeObject } from '../../machinery/object.ts';
import { formatApiVersion } from '../../machinery/resource.ts';
import { convertVersion } from '../resources/storage.ts';
import type { AdmissionRequest } from '../server.ts';
import type { AdmissionDeps } from './chain.ts';
import { admissionNamespace, operationOf } from './matching.ts';

const OPTIONS = { create: 'CreateOptions', update: 'UpdateOptions', delete: 'DeleteOptions' };

const kindOf = ({ group, version, kind }: ResourceDefinition): JsonObject => ({ group, version, kind });
const resourceOf = ({ group, version, plural }: ResourceDefinition): JsonObject => ({ group, version, resource: plural });

/** `shown`: the kind in whose version it is shown. */
export function requestAttributes(request: AdmissionRequest, shown: ResourceDefinition): JsonObject {
  const { definition, subresource, name, dryRun, user, operation } = request;
  const namespace = admissionNamespace(request);
  const sub = subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    kind: kindOf(shown),
    resource: resourceOf(shown),
    requestKind: kindOf(definition),
    requestResource: resourceOf(definition),
    ...sub,
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation: operationOf(request),
    userInfo: {
      username: user.name,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      groups: [...user.groups],
      ...(user.extra ? { extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])) } : {}),
    },
    dryRun,
    options: {
      kind: OPTIONS[operation],
      apiVersion: 'meta.k8s.io/v1',
      ...(dryRun ? { dryRun: ['All'] } : {}),
    },
  };
}

/** An object in the version in which it is shown; as it is where the kind is not stored in several. */
export function shownObject(
  deps: Pick<AdmissionDeps, 'registry'>,
  { definition }: AdmissionRequest,
  shown: ResourceDefinition,
  object: KubeObject | undefined,
): KubeObject | undefined {
  if (object === undefined || shown === definition) return object;
  const apiVersion = formatApiVersion(shown.group, shown.version);
  const converted = convertVersion(deps.registry(), object as unknown as JsonObject, apiVersion);
  return (converted?.object as unknown as KubeObject | undefined) ?? object;
}
