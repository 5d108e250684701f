/** Content negotiation: which form of an answer a client wants (reference: Kubernetes' `Accept` with `as`, `g` and `v` parameters). */
import { notAcceptable } from '../../machinery/status.ts';
import { ACCEPT_CACHE_ENTRIES_MAX } from '../limits.ts';

export type MediaType = 'application/json' | 'application/yaml' | 'application/vnd.kubernetes.protobuf';

/** One acceptable form. `as` is empty for the object itself. */
export type AcceptClause = { type: string; as: string; group: string; version: string; stream: string; quality: number };

/**
 * The forms that an Accept header allows and this server knows, best first; never empty. Which of them is taken depends on the answer: not every
 * kind has a protobuf form, and a Status or review is no Table.
 */
export type Negotiated = readonly Accepted[];

/** One form: the object as it is, a Table, or its metadata alone. */
export type Accepted = { media: MediaType; as: 'object' | 'table' | 'metadata'; version: 'v1' | 'v1beta1' };

export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
/** What is offered, in the order in which a refusal names it. */
export const MEDIA_TYPES: readonly MediaType[] = ['application/json', 'application/yaml', PROTOBUF];
const TRANSFORMS: Readonly<Record<string, 'table' | 'metadata'>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata',
};
const JSON_OBJECT: Accepted = { media: 'application/json', as: 'object', version: 'v1' };
const PLAIN_JSON: Negotiated = [JSON_OBJECT];

/** Reads an Accept header into clauses, best first. An empty header accepts everything. */
export function parseAccept(header: string): AcceptClause[] {
  if (header.trim() === '') return [clause('*/*')];
  const clauses = header.split(',').map((part) => clause(part.trim()));
  return clauses.filter((each) => each.quality > 0).sort((a, b) => b.quality - a.quality);
}

function clause(text: string): AcceptClause {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const result: AcceptClause = { type: type.toLowerCase(), as: '', group: '', version: '', stream: '', quality: 1 };
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    const value = parameter.slice(equals + 1).replace(/^"|"$/g, '');
    const name = parameter.slice(0, equals);
    if (name === 'as') result.as = value;
    if (name === 'g') result.group = value;
    if (name === 'v') result.version = value;
    if (name === 'stream') result.stream = value;
    if (name === 'q') result.quality = Number.isNaN(Number(value)) ? 1 : Number(value);
  }
  return result;
}

/** Whether a clause's media type covers a concrete one. */
export function covers(type: string, media: string): boolean {
  return type === media || type === '*/*' || (type === 'application/*' && media.startsWith('application/'));
}

/** Keeps what is known. Throws 406 when nothing is. */
function choose(clauses: readonly AcceptClause[]): Negotiated {
  const forms = clauses.map(formOf).filter((form) => form !== undefined);
  if (forms.length === 0) throw notAcceptable(MEDIA_TYPES);
  return forms;
}

function formOf(each: AcceptClause): Accepted | undefined {
  const media = MEDIA_TYPES.find((type) => covers(each.type, type));
  if (media === undefined) return undefined;
  if (each.as === '') return { media, as: 'object', version: 'v1' };
  const as = TRANSFORMS[each.as];
  if (as === undefined || each.group !== 'meta.k8s.io') return undefined;
  if (each.version !== 'v1' && each.version !== 'v1beta1') return undefined;
  return { media, as, version: each.version };
}

/** Negotiates forms; remembers the few distinct headers that clients send. */
export function createNegotiator(): (header: string | null) => Negotiated {
  const known = new Map<string, Negotiated>();
  return (header) => {
    if (header === null || header === 'application/json' || header === '*/*') return PLAIN_JSON;
    const found = known.get(header);
    if (found) return found;
    const chosen = choose(parseAccept(header));
    if (known.size >= ACCEPT_CACHE_ENTRIES_MAX) known.clear();
    known.set(header, chosen);
    return chosen;
  };
}
