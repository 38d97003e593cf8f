/** The flags that search payloads, the search, and the columns of events. */
import type { Command } from 'commander';
import { contentQuery, type ContentQuery } from '../../../event/content/content-query.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { withOutcomes, type EventOutcomeView } from '../../../operate/show/event-outcomes.ts';
import { searchEvents } from '../../../operate/search/search-events.ts';
import type { EventFilter } from '../../../store/queries.ts';
import type { Store } from '../../../store/store.ts';
import { exitCode } from '../../exit-code.ts';
import { listenForInterrupt } from '../../interruption.ts';
import { maskingContract } from '../../known-contract.ts';
import { repeatable } from '../../options/repeatable.ts';
import type { Limit, Page } from '../../output/pages.ts';
import { createProgress } from '../../output/progress.ts';
import { readableTime, readableVersion } from '../../output/format.ts';
import type { Session } from '../../session.ts';
import type { Column } from '../../output/table.ts';

/** The parsed flags that search payloads. */
export interface ContentFlags {
  readonly where?: readonly string[];
  readonly contains?: readonly string[];
  readonly unmask: boolean;
}

/** Matches of a page, and milliseconds until a shorter page is shown. */
const PAGE = 500;
const PAGE_MS = 1_000;

export function addContentOptions(command: Command): Command {
  return command
    .option(
      '--where <condition>',
      "whose payload meets this condition, for example 'data.company.tax_id = 12345678000190' (= != > >= < <= contains; and); repeatable",
      repeatable,
    )
    .option('--contains <text>', 'with this text in some value of the payload; repeatable', repeatable)
    .option('--unmask', 'let --where and --contains search personal data, too', false);
}

/** @throws PortariaError `invalid-argument` */
export function givenContent({ where = [], contains = [] }: ContentFlags): ContentQuery | null {
  return contentQuery(where, contains);
}

/** Searches payloads to the oldest event, and says on standard error how far it is. Ctrl-C ends it. */
export async function* contentPages(
  session: Session,
  store: Store,
  request: {
    readonly filter: EventFilter;
    readonly content: ContentQuery;
    readonly limit: Limit;
    readonly unmask: boolean;
  },
): AsyncGenerator<Page<EventOutcomeView>> {
  const { filter, content, unmask } = request;
  const { terminal } = session;
  const contract = await maskingContract(session);
  const { count: total } = await store.countEvents({}, { max: Number.MAX_SAFE_INTEGER, maxMs: PAGE_MS });
  const progress = createProgress(terminal, 'searching');
  const interruption = listenForInterrupt(terminal);
  let left = request.limit === 'all' ? Number.POSITIVE_INFINITY : request.limit;
  let [after, scanned]: [string | null, number] = [null, 0];
  let back: number | null = null;
  try {
    do {
      const found = await searchEvents(store, terminal.clock, {
        ...{ filter, content, unmask, contract, withinMs: PAGE_MS, signal: interruption.signal },
        limit: Math.min(left, PAGE),
        ...(after !== null && { after }),
      });
      left -= found.events.length;
      scanned += found.scanned;
      back = found.cursorAt ?? back;
      after = found.end === 'too-old' ? null : found.next;
      yield { rows: await withOutcomes(store, found.events), cut: left === 0 && after !== null };
      progress.update(scanned, total, back === null ? '' : `back to ${timeText(back)}`);
    } while (left > 0 && after !== null && !interruption.signal.aborted);
  } finally {
    progress.stop();
    interruption.release();
  }
  if (interruption.signal.aborted) {
    session.exitCode = exitCode.interrupted;
    const where = back === null ? '' : `, back to ${timeText(back)}`;
    await session.note(`Stopped after ${countOf(scanned, 'event')}${where}.`);
  } else if (!unmask) await session.note('Personal data was not searched; --unmask searches it, too.');
}

function timeText(at: number): string {
  return readableTime(new Date(at).toISOString());
}

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
