import type { EventView } from '../../view/event-view.ts';
import { readableTime } from './readable-time.ts';
import type { Column } from './table.ts';

export const eventColumns: readonly Column<EventView>[] = [
  { heading: 'received', value: (event) => readableTime(event.received_at) },
  { heading: 'id', value: (event) => event.id },
  { heading: 'kind', shrinks: true, value: (event) => event.kind },
  { heading: 'subject', shrinks: true, value: (event) => event.subject },
  { heading: 'source', shrinks: true, optional: true, value: (event) => event.source },
  { heading: 'verdict', value: (event) => event.verdict },
  { heading: 'flags', shrinks: true, value: (event) => event.flags.join(' ') },
  { heading: 'version', shrinks: true, optional: true, value: (event) => event.version },
  { heading: 'repeats', align: 'right', optional: true, value: (event) => event.repeats },
];
