/** Cells of tables of events. */
import type { FC } from 'hono/jsx';
import type { EventView } from '../../view/event-view.ts';
import { usePage } from '../page.ts';
import { Time } from '../../pages/time.tsx';

/** The time of an event, which leads to its page. */
export const EventLink: FC<{
  readonly id: string;
  readonly receivedAt: string;
  /** Whether rows may share a second. */
  readonly exact?: boolean;
}> = ({ id, receivedAt, exact = false }) => (
  <a href={`/events/${id}`}>
    <Time iso={receivedAt} as={exact ? 'exact' : 'instant'} />
  </a>
);

/** The name of a handler, which leads to its row. */
export const HandlerLink: FC<{ readonly name: string }> = ({ name }) => (
  <a href={`/handlers#row-${encodeURIComponent(name)}`}>{name}</a>
);

/** The kind of an event, and how often it was repeated. */
export const Kind: FC<{ readonly event: Pick<EventView, 'kind' | 'repeats'> }> = ({
  event: { kind, repeats },
}) => (
  <>
    {kind}
    {repeats > 0 && <span class="soft"> {usePage().words.events.repeats(repeats)}</span>}
  </>
);

/** The name of a subject, which leads to its page; a dash where there is none. */
export const SubjectLink: FC<{ readonly subject: string | null }> = ({ subject }) =>
  subject === null ? <>–</> : <a href={subjectAddress(subject)}>{subject}</a>;

/**
 * The address of a subject's page.
 *
 * @param subject `family:id`
 */
export function subjectAddress(subject: string): string {
  return `/subjects/${encodeURIComponent(subject.toWellFormed())}`;
}
