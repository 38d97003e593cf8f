/** The rows of live pages, and what their stream sends. */
import type { Child, FC } from 'hono/jsx';
import { EventLink, subjectAddress } from '../components/event-cells.tsx';
import { OutcomeState, VerdictState } from '../components/delivery-state.tsx';
import { State } from '../../pages/state.tsx';
import { InPage } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { subjectName } from '../../event/subject.ts';
import type { DeliveryStatus } from '../../store/queries.ts';
import { instantText } from '../../view/instant-text.ts';
import type { LiveRow } from './live-window.ts';

/** The row of an event. The ids let messages of the stream find it again. */
export const Row: FC<LiveRow> = ({ event, outcome }) => {
  const words = usePage().words.events;
  const subject = subjectName(event.subject);
  return (
    <tr id={`e-${event.id}`}>
      <td data-head={words.time}>
        <EventLink id={event.id} receivedAt={instantText(event.receivedAt)} />
      </td>
      <td data-head={words.kind} class="mono">
        {event.kind}
      </td>
      <td data-head={words.subject} class="mono">
        <a href={subjectAddress(subject)}>{subject}</a>
      </td>
      <td data-head={words.verdict}>
        <VerdictState verdict={event.verdict} />
        {event.flags.map((flag) => (
          <>
            {' '}
            <State tone="off" word={flag} />
          </>
        ))}
      </td>
      <td data-head={words.outcome}>
        <Outcome event={event} outcome={outcome} />
      </td>
    </tr>
  );
};

const Outcome: FC<LiveRow> = ({ event, outcome }) => (
  <span id={`o-${event.id}`}>
    <OutcomeState
      statuses={(Object.entries(outcome) as [DeliveryStatus, number][]).flatMap(([status, count]) =>
        Array.from({ length: count }, () => status),
      )}
    />
  </span>
);

/** Renders rows for the stream. */
export function rowsHtml(page: Page, rows: readonly LiveRow[]): string {
  return rendered(
    page,
    rows.map((row) => <Row {...row} />),
  );
}

/** Renders what became of events, for the rows that show them. */
export function outcomesHtml(page: Page, rows: readonly LiveRow[]): string {
  return rendered(
    page,
    rows.map((row) => <Outcome {...row} />),
  );
}

/** Renders the sentence about events that the page does not show. */
export function gapHtml(page: Page, missed: number, href: string): string {
  const { live } = page.words;
  return rendered(
    page,
    <span>
      {live.missed(missed)} <a href={href}>{live.list}</a>
    </span>,
  );
}

function rendered(page: Page, content: Child): string {
  const element: { toString(): string } = <InPage page={page}>{content}</InPage>;
  // Nothing in these components waits, so this is the text and no promise.
  return element.toString();
}
