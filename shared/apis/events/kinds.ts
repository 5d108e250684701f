/** `events.k8s.io/v1` Event: stored as a core Event, read with other field names. */
import type { KubeObject } from '../../machinery/object.ts';
import { EVENT_COLUMNS } from '../core/columns.ts';
import { defaultEvent } from '../core/defaults.ts';
import { type KindDeclarations, textAt } from '../declare.ts';
import { eventFromCore, eventToCore } from './conversion.ts';

const FIELDS = new Map<string, (object: KubeObject) => string>([
  ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
    (field) => [`regarding.${field}`, textAt('regarding', field)] as const,
  ),
  ['reason', textAt('reason')],
  ['reportingController', textAt('reportingController')],
  ['type', textAt('type')],
]);

export const EVENTS_KINDS: KindDeclarations = {
  events: {
    unconditionalUpdate: true,
    strategy: {
      applyDefaults: (event) => {
        defaultEvent(eventToCore(event));
        eventFromCore(event);
      },
    },
    createOnUpdate: true,
    columns: EVENT_COLUMNS.map((column) => ({ ...column, cell: (event, now) => column.cell(eventToCore({ ...event }), now) })),
    selectableFields: FIELDS,
    storedAs: { group: '', resource: 'events' },
    conversion: { toStored: eventToCore, fromStored: eventFromCore },
  },
};
