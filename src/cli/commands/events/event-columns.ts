/** The table columns of a list of events. */
import type { EventOutcomeView } from '../../../operate/show/event-outcomes.ts';
import { readableTime, readableVersion } from '../../output/format.ts';
import type { Column } from '../../output/table.ts';

export const eventColumns: readonly Column<EventOutcomeView>[] = [
  { heading: 'received', value: (event) => readableTime(event.received_at) },
  { heading: 'id', value: (event) => event.id },
  // The subject says how a kind begins.
  { heading: 'kind', shrinks: 'start', enough: 24, optional: true, value: (event) => event.kind },
  { heading: 'subject', value: (event) => event.subject },
  {
    heading: 'outcome',
    value: outcomeText,
    tone: ({ outcome }) => (outcome === 'dead' ? 'alarm' : null),
  },
  { heading: 'verdict', optional: true, value: (event) => event.verdict },
  { heading: 'flags', shrinks: true, optional: true, value: (event) => event.flags.join(' ') },
  { heading: 'source', shrinks: true, optional: true, value: (event) => event.source },
  { heading: 'repeats', align: 'right', optional: true, value: (event) => event.repeats },
  { heading: 'version', shrinks: true, optional: true, value: (event) => readableVersion(event.version) },
];

/** The outcome, with how many of the deliveries have it unless all do: `dead 1/3`. */
function outcomeText({ outcome, deliveries }: EventOutcomeView): string {
  const { pending, running, succeeded, dead, skipped } = deliveries;
  const total = pending + running + succeeded + dead + skipped;
  const such = { dead, pending: pending + running, succeeded, skipped, none: 0 }[outcome];
  return such === total ? outcome : `${outcome} ${String(such)}/${String(total)}`;
}
