/** `events.k8s.io/v1` Event: stored as a core Event, read with other field names. */
import type { KindDeclarations } from '../declare.ts';

export const EVENTS_KINDS: KindDeclarations = {
  events: { unconditionalUpdate: true, createOnUpdate: true, storedAs: { group: '', resource: 'events' } },
};
