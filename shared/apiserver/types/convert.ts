/** Conversion between the versions of a custom resource: by name alone, or by the webhook of its definition. */
import type { KubeObject } from '../../machinery/object.ts';
import { internalError } from '../../machinery/status.ts';
import type { ConvertObjects } from './versioned.ts';

/** Without a caller of webhooks, definitions that name one are answered with an error that says so. */
export function createConversion(webhook: ConvertObjects | undefined): ConvertObjects {
  return async (definition, origin, objects, apiVersion) => {
    if (origin.conversion.strategy !== 'Webhook') return objects.map((object) => renamed(object, apiVersion));
    if (webhook) return webhook(definition, origin, objects, apiVersion);
    throw internalError(
      `conversion webhook for ${definition.group}/${definition.version}, Kind=${definition.kind}: this server calls no webhooks`,
    );
  };
}

/** Strategy None: the same content under another version. */
function renamed({ kind, metadata, ...rest }: KubeObject, apiVersion: string): KubeObject {
  return { ...rest, apiVersion, kind, metadata };
}
