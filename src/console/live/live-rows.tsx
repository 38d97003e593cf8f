/** The rows of live pages, and the messages that change them. */
import type { Child, FC } from 'hono/jsx';
import { EventLink, subjectAddress } from '../components/event-cells.tsx';
import { OutcomeState, VerdictState } from '../components/delivery-state.tsx';
import { State } from '../../pages/state.tsx';
import { InPage } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { subjectName } from '../../event/subject.ts';
import type { DeliveryStatus } from '../../store/queries.ts';
import { instantText } from '../../view/instant-text.ts';
import type { LiveEvent } from './live-filter.ts';
import type { StatusCounts } from '../../operate/show/event-outcomes.ts';
import type { LiveRow } from './recent-events.ts';

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
        <span id={`o-${event.id}`}>
          <OutcomeState statuses={statusesOf(outcome)} />
        </span>
      </td>
    </tr>
  );
};

function statusesOf(outcome: StatusCounts): readonly DeliveryStatus[] {
  return (Object.entries(outcome) as [DeliveryStatus, number][]).flatMap(([status, count]) =>
    Array.from({ length: count }, () => status),
  );
}

/** Renders rows for the stream: those that are new, newest first. */
export function newRows(page: Page, rows: readonly LiveRow[]): string {
  if (rows.length === 0) return '';
  const html = rendered(
    page,
    <>
      {rows.map(({ event, outcome }) => (
        <Row event={event} outcome={outcome} />
      ))}
    </>,
  );
  return `<hx-partial hx-target="#arriving" hx-swap="afterbegin">${html}</hx-partial>`;
}

/** Renders what became of an event, for the row that shows it. A page without that row ignores it. */
export function newOutcome(page: Page, event: Pick<LiveEvent, 'id'>, outcome: StatusCounts): string {
  const html = rendered(page, <OutcomeState statuses={statusesOf(outcome)} />);
  return `<hx-partial hx-target="#o-${event.id}" hx-swap="innerMorph">${html}</hx-partial>`;
}

/** Renders the sentence about events that the page does not show. */
export function newGap(page: Page, missed: number, href: string): string {
  const { words } = page;
  const html = rendered(
    page,
    <>
      {words.live.missed(missed)} <a href={href}>{words.live.list}</a>
    </>,
  );
  return `<hx-partial hx-target="#live-gap" hx-swap="innerHTML"><span>${html}</span></hx-partial>`;
}

function rendered(page: Page, content: Child): string {
  const element: { toString(): string } = <InPage page={page}>{content}</InPage>;
  // Nothing in these components waits, so this is the text and no promise.
  return element.toString();
}
