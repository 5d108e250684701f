/** DELETE of one object and of a collection. */
import type { DeleteOptions } from '../../apis/lifecycle.ts';
import type { JsonObject } from '../../machinery/object.ts';
import { badRequest, invalid } from '../../machinery/status.ts';
import type { WriteContext, WriteResult } from '../core.ts';
import { decodeObject, isEmptyBody, isJsonObject, readBody } from '../http/body.ts';
import { deleteEach, deleteObject } from '../resources/delete.ts';
import { listStored } from '../resources/list.ts';
import { isTrue, parseCount, parseListOptions } from '../resources/list-options.ts';
import { type ResourceExchange, writeContext } from './exchange.ts';
import { selectionOf } from './read.ts';
import { sendList, sendObject, sendStored } from './send.ts';

export async function handleDelete(exchange: ResourceExchange): Promise<Response> {
  const { core, definition } = exchange;
  const { context, options } = await readOptions(exchange);
  warnOrphans(context, options);
  const result = await deleteObject(core, context, options);
  if (result.type !== 'removed' || definition.deleteReturnsObject) return sendStored(exchange, 200, result.stored);
  return sendObject(exchange, 200, successStatus(context, result));
}

/** Jobs leave their pods behind unless asked otherwise; that surprises people. */
function warnOrphans({ definition, warn }: WriteContext, options: DeleteOptions): void {
  const asked = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
  if (asked || definition.group !== 'batch' || definition.defaultDeletion !== 'Orphan') return;
  warn(
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  );
}

function successStatus({ definition, name }: WriteContext, result: WriteResult): object {
  const { group, plural } = definition;
  const details = { name, ...(group === '' ? {} : { group }), kind: plural, uid: result.stored.uid };
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details };
}

export async function handleDeleteCollection(exchange: ResourceExchange): Promise<Response> {
  const { core, scope, target } = exchange;
  const { context, options } = await readOptions(exchange);
  const { items, meta } = await listStored(core, scope, selectionOf(exchange), parseListOptions(target.query));
  const contextOf = ({ namespace, name }: { namespace: string; name: string }) => ({ ...context, namespace, name });
  return sendList(exchange, await deleteEach(core, contextOf, items, options), meta);
}

const OPTIONS = { apiVersion: 'v1', kind: 'DeleteOptions' };

/** Options of the body, or without one those of the query, as upstream has it. A dry run is believed wherever it is asked for. */
async function readOptions(exchange: ResourceExchange): Promise<{ context: WriteContext; options: DeleteOptions }> {
  const { core, request, target } = exchange;
  const context = writeContext(exchange, { kind: 'DeleteOptions' });
  const body = await readBody(request);
  const given = isEmptyBody(body) ? {} : decodeObject(body, OPTIONS, core.protobuf().decode);
  const options = isEmptyBody(body) ? queryOptions(target.query) : bodyOptions(given);
  if (options.orphanDependents !== undefined && options.propagationPolicy !== undefined)
    throw optionError(
      'propagationPolicy',
      'Invalid',
      `Invalid value: ${JSON.stringify(options.propagationPolicy)}: orphanDependents and deletionPropagation cannot be both set`,
    );
  return { context: { ...context, dryRun: context.dryRun || isDryRunBody(given) }, options };
}

const optionError = (field: string, type: string, detail: string) =>
  invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [{ type, field, detail }]);

function queryOptions(query: URLSearchParams): DeleteOptions {
  const options: DeleteOptions = {};
  const policy = query.get('propagationPolicy');
  const grace = query.get('gracePeriodSeconds');
  const orphan = query.get('orphanDependents');
  if (policy) options.propagationPolicy = toPolicy(policy);
  if (grace) options.gracePeriodSeconds = parseCount(grace);
  if (orphan) options.orphanDependents = isTrue(orphan);
  return options;
}

function bodyOptions(body: JsonObject): DeleteOptions {
  const { gracePeriodSeconds, propagationPolicy, orphanDependents, preconditions } = body;
  const options: DeleteOptions = {};
  if (typeof gracePeriodSeconds === 'number') options.gracePeriodSeconds = gracePeriodSeconds;
  else if (gracePeriodSeconds !== undefined && gracePeriodSeconds !== null)
    throw badRequest('gracePeriodSeconds must be an integer');
  if (typeof propagationPolicy === 'string' && propagationPolicy !== '') options.propagationPolicy = toPolicy(propagationPolicy);
  if (typeof orphanDependents === 'boolean') options.orphanDependents = orphanDependents;
  if (isJsonObject(preconditions)) options.preconditions = toPreconditions(preconditions);
  return options;
}

function toPreconditions({ uid, resourceVersion }: JsonObject): NonNullable<DeleteOptions['preconditions']> {
  return {
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
  };
}

function isDryRunBody({ dryRun }: JsonObject): boolean {
  if (!Array.isArray(dryRun) || dryRun.length === 0) return false;
  const other = dryRun.find((value) => value !== 'All');
  if (other !== undefined)
    throw optionError('dryRun', 'NotSupported', `Unsupported value: ${JSON.stringify(other)}: supported values: "All"`);
  return true;
}

function toPolicy(text: string): 'Background' | 'Foreground' | 'Orphan' {
  if (text === 'Background' || text === 'Foreground' || text === 'Orphan') return text;
  throw optionError(
    'propagationPolicy',
    'NotSupported',
    `Unsupported value: ${JSON.stringify(text)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
  );
}
