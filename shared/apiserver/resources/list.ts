/** Lists: exact snapshots in pages, selectors, continue tokens (reference: Kubernetes' list semantics). */
import { badRequest, expired, resourceVersionTooLarge, StatusError } from '../../machinery/status.ts';
import type { ListOutcome, ListQuery, StoredObject } from '../../ports/object-store.ts';
import type { Core } from '../core.ts';
import { CONTINUE_AGE_MAX_MS, LIST_PAGE_MAX } from '../limits.ts';
import { type ContinueToken, encodeContinue } from './continue.ts';
import type { ListMeta } from './forms.ts';
import type { ListOptions } from './list-options.ts';
import { requireReached } from './read.ts';
import { type Selection, selects, selectsAll, singleRef } from './selection.ts';

export type ListResult = { items: StoredObject[]; meta: ListMeta };

type Page = Extract<ListOutcome, { type: 'page' }>;

/** One page of the list that was asked for. Throws 410 with a fresh token where an old one ran out, 504 for a version not reached. */
export async function listStored(core: Core, scope: string, selection: Selection, options: ListOptions): Promise<ListResult> {
  await requireReached(core, scope, options.notOlderThan);
  const now = core.deps.clock.now();
  const { token } = options;
  const begunAt = token?.begunAt ?? now;
  if (token !== undefined && now - begunAt > CONTINUE_AGE_MAX_MS) throw tooOld(token, selection);
  const ref = options.exact === 0 && options.token === undefined ? singleRef(scope, selection) : undefined;
  if (ref) return listSingle(core, ref, selection);
  const whole = selectsAll(selection);
  const items: StoredObject[] = [];
  let query = await firstQuery(core, scope, selection, options);
  for (;;) {
    const page = requirePage(await core.objects(selection.definition).list(query), options.token, selection);
    const next = take(page, items, selection, options.limit);
    if (next === undefined) return { items, meta: { resourceVersion: page.resourceVersion } };
    if (options.limit > 0 && items.length >= options.limit) return { items, meta: pageMeta(page, { ...next, begunAt }, whole) };
    query = { ...query, from: next };
    delete query.exact;
  }
}

type Next = { resourceVersion: string; namespace: string; name: string };

/** Adds what is selected, up to the limit; where to go on, if anything is left. */
function take(page: Page, items: StoredObject[], selection: Selection, limit: number): Next | undefined {
  for (const [index, object] of page.items.entries()) {
    if (!selects(selection, object)) continue;
    items.push(object);
    const more = index < page.items.length - 1 || page.next !== undefined;
    if (items.length === limit && more)
      return { resourceVersion: page.resourceVersion, namespace: object.namespace, name: object.name };
  }
  return page.next;
}

function pageMeta(page: Page, next: ContinueToken, whole: boolean): ListMeta {
  const meta: ListMeta = { resourceVersion: page.resourceVersion, continue: encodeContinue(next) };
  if (whole && page.remaining !== undefined && page.next !== undefined) meta.remainingItemCount = page.remaining;
  return meta;
}

/** A list without selectors reads just what it shows; with selectors, whole pages, of which some may fall away. */
async function firstQuery(core: Core, scope: string, selection: Selection, options: ListOptions): Promise<ListQuery> {
  const { token, exact, limit } = options;
  const query: ListQuery = { scope };
  if (limit > 0) query.limit = selectsAll(selection) ? limit : LIST_PAGE_MAX;
  if (selection.namespace !== '') query.namespace = selection.namespace;
  if (exact > 0) query.exact = String(exact);
  if (token === undefined) return query;
  if (selection.namespace !== '' && token.namespace !== selection.namespace)
    throw badRequest('continue key is not valid: it belongs to another namespace');
  const resourceVersion =
    token.resourceVersion === '' ? (await core.deps.store.lanes.head(scope)).current : token.resourceVersion;
  return { ...query, from: { resourceVersion, namespace: token.namespace, name: token.name } };
}

/** A list of one name reads that object; its version is the head, read first, or the object's own if that is newer. */
async function listSingle(
  core: Core,
  ref: { scope: string; namespace: string; name: string },
  selection: Selection,
): Promise<ListResult> {
  const head = await core.deps.store.lanes.head(ref.scope);
  const object = await core.objects(selection.definition).get(ref);
  const found = object !== undefined && selects(selection, object);
  const version = Math.max(Number(head.current), Number(object?.resourceVersion ?? 0));
  return { items: found ? [object] : [], meta: { resourceVersion: String(version) } };
}

const CONTINUE_EXPIRED =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

function requirePage(outcome: ListOutcome, token: ContinueToken | undefined, selection: Selection): Page {
  if (outcome.type === 'page') return outcome;
  if (outcome.type === 'future') throw resourceVersionTooLarge(token?.resourceVersion ?? 'of the list', outcome.current);
  if (token === undefined) throw expired('The resourceVersion for the provided list is too old.');
  throw tooOld(token, selection);
}

/** With a token by which the list goes on all the same, from what is there by then. */
function tooOld({ namespace, name }: ContinueToken, selection: Selection): StatusError {
  const next = { resourceVersion: '', namespace: namespace || selection.namespace, name };
  return new StatusError({ ...expired(CONTINUE_EXPIRED).status, metadata: { continue: encodeContinue(next) } });
}
