/** What a change of the log means to one watch: selector transitions (reference: Kubernetes' watch semantics). Pure. */
import type { Change, StoredObject } from '../../ports/object-store.ts';
import { type Selection, selects } from '../resources/selection.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One event. `content` carries the version of the change, also where it shows what was there before. */
export type WatchEvent = {
  type: EventType;
  content: Pick<StoredObject, 'body' | 'managedFields' | 'resourceVersion'>;
  fromBefore: boolean;
};

/**
 * An object that starts to match is ADDED, one that stops is DELETED with its old content and the new version, one that matches before and
 * after is MODIFIED; undefined: this watch does not see the change.
 */
export function eventOf(selection: Selection, change: Change): WatchEvent | undefined {
  const { object, before } = change;
  const matches = change.type !== 'deleted' && selects(selection, object);
  const matched =
    change.type !== 'added' &&
    selects(selection, before ? { ...before, namespace: object.namespace, name: object.name } : object);
  if (!matches && !matched) return undefined;
  if (matches) return { type: matched ? 'MODIFIED' : 'ADDED', content: object, fromBefore: false };
  if (change.type === 'deleted' || !before) return { type: 'DELETED', content: object, fromBefore: false };
  const content = { body: before.body, managedFields: before.managedFields, resourceVersion: object.resourceVersion };
  return { type: 'DELETED', content, fromBefore: true };
}
