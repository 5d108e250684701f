/** Conversion between the versions of a custom resource: by name alone, or by the webhook of its definition (apiextensions' conversion). */
import type { CustomOrigin, ResourceDefinition } from '../../apis/definition.ts';
import { validateAnnotations, validateLabels } from '../../apis/validation/metadata.ts';
import type { JsonObject, JsonValue, KubeObject, ObjectMeta } from '../../machinery/object.ts';
import { failure, type StatusError } from '../../machinery/status.ts';
import type { Ids } from '../../ports/system.ts';
import { isJsonObject } from '../http/body.ts';
import { CONVERSION_TIMEOUT_MS } from '../limits.ts';
import type { WebhookClient } from '../webhook-client.ts';
import type { ConvertObjects } from './versioned.ts';

type Webhooks = { client: WebhookClient; ids: Pick<Ids, 'uid'> };

/** Without a client, definitions that name a webhook are answered with an error that says so. */
export function createConversion(webhooks: Webhooks | undefined): ConvertObjects {
  return async (definition, origin, objects, apiVersion) => {
    if (origin.conversion.strategy === 'None') return objects.map((object) => renamed(object, apiVersion));
    if (webhooks === undefined) throw failed(definition, objects, 'failed: this server calls no webhooks');
    return askWebhook(webhooks, { definition, origin, objects, apiVersion });
  };
}

/** Strategy None: the same content under another version. */
function renamed({ kind, metadata, ...rest }: KubeObject, apiVersion: string): KubeObject {
  return { ...rest, apiVersion, kind, metadata };
}

type Conversion = {
  definition: ResourceDefinition;
  origin: CustomOrigin;
  objects: readonly KubeObject[];
  apiVersion: string;
};

/** A plain 500 with the reason, as upstream has it. */
function failed(definition: ResourceDefinition, [first]: readonly KubeObject[], why: string): StatusError {
  const kind = `${first?.apiVersion ?? definition.group}, Kind=${definition.kind}`;
  return failure(500, '', `conversion webhook for ${kind} ${why}`);
}

async function askWebhook({ client, ids }: Webhooks, conversion: Conversion): Promise<readonly KubeObject[]> {
  const { definition, origin, objects, apiVersion } = conversion;
  if (origin.conversion.strategy !== 'Webhook') return objects;
  const { clientConfig, conversionReviewVersions } = origin.conversion.webhook;
  const reviewVersion = conversionReviewVersions.find((version) => version === 'v1' || version === 'v1beta1');
  if (reviewVersion === undefined) throw failed(definition, objects, 'failed: no supported conversion review versions');
  const uid = ids.uid();
  const review: JsonObject = {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${reviewVersion}`,
    request: { uid, desiredAPIVersion: apiVersion, objects: objects as unknown as JsonValue[] },
  };
  const answer = await client.post(clientConfig, review, CONVERSION_TIMEOUT_MS);
  if (answer.type === 'failure') throw failed(definition, objects, `failed: ${answer.reason}`);
  const read = readReview(answer.body, uid, reviewVersion);
  if (!read.ok) throw failed(definition, objects, `failed: ${read.why}`);
  if (read.objects.length !== objects.length)
    throw failed(definition, objects, `returned ${read.objects.length} objects, expected ${objects.length}`);
  return objects.map((original, index) => checked(conversion, original, read.objects[index], index));
}

type Read = { ok: true; objects: readonly JsonValue[] } | { ok: false; why: string };

/** v1 answers name what they answer; v1beta1 did not have to. */
function readReview(body: JsonObject, uid: string, reviewVersion: string): Read {
  const { response, kind, apiVersion } = body;
  const wanted = `apiextensions.k8s.io/${reviewVersion}`;
  if (reviewVersion === 'v1' && (kind !== 'ConversionReview' || apiVersion !== wanted))
    return {
      ok: false,
      why: `expected webhook response of ${wanted}, Kind=ConversionReview, got ${String(apiVersion ?? '/')}, Kind=${String(kind ?? '')}`,
    };
  if (!isJsonObject(response)) return { ok: false, why: 'no response provided' };
  if (reviewVersion === 'v1' && response.uid !== uid)
    return {
      ok: false,
      why: `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`,
    };
  const result = isJsonObject(response.result) ? response.result : {};
  if (result.status !== 'Success') {
    const message = typeof result.message === 'string' ? result.message : '';
    return { ok: false, why: message || `response.result.status was '${String(result.status ?? '')}', not 'Success'` };
  }
  return { ok: true, objects: Array.isArray(response.convertedObjects) ? response.convertedObjects : [] };
}

/** The converted object with the metadata of the original: only labels and annotations may be another's. */
function checked(conversion: Conversion, original: KubeObject, value: JsonValue | undefined, index: number): KubeObject {
  const { definition, objects, apiVersion } = conversion;
  const refuse = (why: string) => failed(definition, objects, `returned invalid converted object at index ${index}: ${why}`);
  if (!isJsonObject(value)) throw refuse('it is no object');
  if (value.apiVersion !== apiVersion)
    throw refuse(`invalid groupVersion (expected ${apiVersion}, received ${String(value.apiVersion ?? '')})`);
  if (value.kind !== original.kind)
    throw refuse(`invalid kind (expected ${original.kind}, received ${String(value.kind ?? '')})`);
  if (!isJsonObject(value.metadata)) throw refuse('missing metadata in converted object');
  const metadata = value.metadata as ObjectMeta;
  for (const [field, name] of [
    ['name', 'name'],
    ['namespace', 'namespace'],
    ['uid', 'UID'],
  ] as const)
    if ((metadata[field] ?? '') !== (original.metadata[field] ?? ''))
      throw refuse(`must have the same ${name}: ${original.metadata[field] ?? ''} != ${metadata[field] ?? ''}`);
  const { labels, annotations } = metadata;
  const errors = [...validateLabels('metadata.labels', labels), ...validateAnnotations('metadata.annotation', annotations)].map(
    ({ field, detail }) => `${field}: ${detail}`,
  );
  if (errors.length > 0) throw refuse(errors.join(', '));
  const { labels: _labels, annotations: _annotations, ...kept } = original.metadata;
  return {
    ...value,
    apiVersion,
    kind: original.kind,
    metadata: { ...kept, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
  };
}
