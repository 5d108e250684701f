/** One request on its way through the handlers, and the options that all of them read. */
import type { Registry, ResourceDefinition } from '../../apis/definition.ts';
import { storedScope } from '../../apis/stored.ts';
import { quoteGo } from '../../machinery/go-quote.ts';
import { invalid, notAcceptable } from '../../machinery/status.ts';
import type { RequestTrace } from '../audit/event.ts';
import type { Core, FieldValidation, WriteContext } from '../core.ts';
import { type Accepted, MEDIA_TYPES, PROTOBUF } from '../http/accept.ts';
import type { ResourceTarget, Target } from '../http/target.ts';
import { FIELD_MANAGER_LENGTH_MAX } from '../limits.ts';
import type { Shape } from '../resources/forms.ts';
import { typeOf } from '../resources/read.ts';
import { storageOf } from '../resources/storage.ts';
import type { RequestAttributes, User } from '../server.ts';

export type Exchange = {
  core: Core;
  registry: Registry;
  request: Request;
  target: Target;
  user: User;
  auditId: string;
  acceptsGzip: boolean;
  /** Texts of Warning headers, filled on the way. */
  warnings: string[];
  /** What the audit record will say. */
  trace: RequestTrace;
};

/** An exchange about a resource that is served. */
export type ResourceExchange = Exchange & {
  resource: ResourceTarget;
  definition: ResourceDefinition;
  storage: ResourceDefinition;
  scope: string;
  attributes: RequestAttributes;
};

export function resourceExchange(
  exchange: Exchange,
  resource: ResourceTarget,
  definition: ResourceDefinition,
  attributes: RequestAttributes,
): ResourceExchange {
  const storage = storageOf(exchange.registry, definition);
  return { ...exchange, resource, definition, storage, scope: storedScope(definition), attributes };
}

/** The form that the client likes best of those the kind has. `watch`: of those that can be streamed. Throws 406. */
export function shapeOf(
  exchange: ResourceExchange,
  use: 'whole' | 'watch' = 'whole',
): { shape: Shape; media: Accepted['media'] } {
  const { core, request, target, definition, storage } = exchange;
  const accepted = core.negotiate(request.headers.get('accept')).find((form) => isPossible(exchange, form, use));
  if (accepted === undefined)
    throw notAcceptable(use === 'watch' ? ['application/json', `${PROTOBUF};stream=watch`] : MEDIA_TYPES);
  const { as, version, media } = accepted;
  const include = as === 'table' ? target.query.get('includeObject') : null;
  const includeObject = include === 'None' || include === 'Object' ? include : 'Metadata';
  const shape: Shape = { definition, storage, as, version, includeObject, now: core.deps.clock.now() };
  if (media === PROTOBUF) shape.protobuf = core.protobuf();
  return { shape, media };
}

/** Tables and custom resources have no protobuf form, and only JSON and protobuf can be cut into events. */
function isPossible({ core, definition }: ResourceExchange, { media, as }: Accepted, use: 'whole' | 'watch'): boolean {
  if (media === 'application/yaml') return use === 'whole';
  if (media !== PROTOBUF) return true;
  return as === 'metadata' || (as === 'object' && definition.builtIn && core.protobuf().hasForm(typeOf(definition)));
}

/** Options of a write: dryRun, fieldManager, fieldValidation. `kind` names the options in a 422. */
export function writeContext(exchange: ResourceExchange, options: { kind: string; apply?: boolean }): WriteContext {
  const { core, registry, target, resource, definition, storage, scope, user, warnings } = exchange;
  return {
    registry,
    definition,
    storage,
    scope,
    namespace: resource.namespace,
    name: resource.name,
    subresource: resource.subresource,
    user,
    manager: fieldManager(exchange, options),
    dryRun: isDryRun(target.query, options.kind),
    fieldValidation: fieldValidation(target.query, options.kind),
    now: core.deps.clock.now(),
    writer: 'api',
    warn: (text) => warnings.push(text),
    annotate: (key, value) => {
      exchange.trace.annotations ??= {};
      exchange.trace.annotations[key] ??= value;
    },
  };
}

const optionError = (kind: string, type: string, field: string, detail: string) =>
  invalid({ group: 'meta.k8s.io', kind }, '', [{ type, field, detail }]);

/** True for `dryRun=All`. Any other value is refused: 422. */
export function isDryRun(query: URLSearchParams, kind: string): boolean {
  const values = query.getAll('dryRun');
  for (const value of values)
    if (value !== 'All')
      throw optionError(kind, 'NotSupported', 'dryRun', `Unsupported value: ${JSON.stringify(values)}: supported values: "All"`);
  return values.length > 0;
}

const MODES: readonly FieldValidation[] = ['Ignore', 'Strict', 'Warn'];

function fieldValidation(query: URLSearchParams, kind: string): FieldValidation {
  const text = query.get('fieldValidation');
  if (text === null || text === '') return 'Warn';
  const mode = MODES.find((each) => each === text);
  if (mode !== undefined) return mode;
  const detail = `Unsupported value: ${JSON.stringify(text)}: supported values: "", "Ignore", "Strict", "Warn"`;
  throw optionError(kind, 'NotSupported', 'fieldValidation', detail);
}

/** The manager named, else the User-Agent up to its first slash. Apply must name one. */
function fieldManager(exchange: ResourceExchange, options: { kind: string; apply?: boolean }): string {
  const named = exchange.target.query.get('fieldManager') ?? '';
  if (named.length > FIELD_MANAGER_LENGTH_MAX)
    throw optionError(
      options.kind,
      'TooLong',
      'fieldManager',
      `Too long: may not be more than ${FIELD_MANAGER_LENGTH_MAX} bytes`,
    );
  const unprintable = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(named);
  if (unprintable) {
    const point = (unprintable[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const why = `invalid character U+${point} (at position ${Buffer.byteLength(named.slice(0, unprintable.index))})`;
    throw optionError(options.kind, 'Invalid', 'fieldManager', `Invalid value: ${quoteGo(named)}: ${why}`);
  }
  if (named !== '') return named;
  if (options.apply) throw optionError(options.kind, 'Required', 'fieldManager', 'Required value: is required for apply patch');
  return (exchange.request.headers.get('user-agent') ?? '').split('/', 1)[0]?.slice(0, FIELD_MANAGER_LENGTH_MAX) || 'unknown';
}
