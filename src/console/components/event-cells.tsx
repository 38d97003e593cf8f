/** Cells of tables of events. */
import type { FC } from 'hono/jsx';
import { State, type Tone } from '../../pages/state.tsx';
import type { Column } from '../../pages/table.tsx';
import type { DeliveryStatus } from '../../store/queries.ts';
import type { EventView } from '../../view/event-view.ts';
import { usePage } from '../page.ts';
import { schemaMessage } from '../language/schema-messages.ts';
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

/** The name of a handler, which leads to its page. */
export const HandlerLink: FC<{ readonly name: string }> = ({ name }) => (
  <a href={handlerAddress(name)}>{name}</a>
);

export function handlerAddress(name: string): string {
  return `/handlers/${encodeURIComponent(name)}`;
}

/** Its failures. */
export function failuresAddress(name: string): string {
  return `/failures?handler=${encodeURIComponent(name)}`;
}

/** The webhooks in quarantine with a problem, by its fingerprint. */
export function problemAddress(problem: string): string {
  return `/quarantine?problem=${encodeURIComponent(problem)}`;
}

/** The events of kinds. */
export function eventsAddress(...kinds: readonly string[]): string {
  return `/events?${kinds.map((kind) => `kind=${encodeURIComponent(kind)}`).join('&')}`;
}

/** A number that leads to what it counts. */
export const CountLink: FC<{
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly more?: boolean;
  readonly href: string;
  readonly isBad?: boolean;
}> = ({ count, more = false, href, isBad = false }) =>
  count === 0 ? (
    <>0</>
  ) : (
    <a href={href} class={isBad ? 'bad' : undefined}>
      {usePage().format.number(count, more)}
    </a>
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

/** Columns that tables of subjects and of handlers have. */
export const subjectColumn = (): Column<{ readonly subject: string | null }> => ({
  head: usePage().words.columns.subject,
  as: 'code',
  cell: ({ subject }) => <SubjectLink subject={subject} />,
});

/** The number of a company, which leads to its events. */
export const CompanyLink: FC<{ readonly company: string | null }> = ({ company }) =>
  company !== null && <a href={`/events?company=${encodeURIComponent(company)}`}>{company}</a>;

export const handlerColumn = (): Column<{ readonly handler: string | null }> => ({
  head: usePage().words.columns.handler,
  as: 'code',
  cell: ({ handler }) => (handler === null ? '–' : <HandlerLink name={handler} />),
});

const deliveryTones: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'warn',
  running: 'warn',
  succeeded: 'ok',
  dead: 'bad',
  skipped: 'off',
};

/** A status as it is shown: what an operator discards, the store calls skipped. */
export type ShownStatus = DeliveryStatus | 'discarded';

/** What the store keeps of a discard in place of an error, with the error before. */
const DISCARD = /^discarded by (.+?) at (\d{4}-\S+Z): (.*?)(?:; before: (.*))?$/su;

/** Tells what was discarded from what was skipped, by the error that is stored. */
export function shownStatus(status: DeliveryStatus, error: string | null): ShownStatus {
  return status === 'skipped' && error?.startsWith('discarded') === true ? 'discarded' : status;
}

export const DeliveryState: FC<{ readonly status: ShownStatus }> = ({ status }) => (
  <State tone={toneOf(status)} word={usePage().words.delivery[status]} />
);

const toneOf = (status: ShownStatus): Tone => deliveryTones[status === 'discarded' ? 'skipped' : status];

/** The error of a delivery, or who has discarded it and why. */
export const DeliveryError: FC<{ readonly error: string | null }> = ({ error }) => {
  const { language, words: all } = usePage();
  const { event: words, frame } = all;
  if (error === null) return null;
  const [, who = '', at = '', why = '', before = ''] = DISCARD.exec(error) ?? [];
  if (who === '') return <p class="error">{language === 'en' ? error : (schemaMessage(error) ?? error)}</p>;
  return (
    <p class="soft">
      {words.discardedBy(frame.visitor(who))}, <Time iso={at} />.{words.discardedWhy(why, before)}
    </p>
  );
};

const verdictTones = { new: 'ok', stale: 'warn', ambiguous: 'warn' } as const;

export const VerdictState: FC<{ readonly verdict: keyof typeof verdictTones }> = ({ verdict }) => (
  <State tone={verdictTones[verdict]} word={usePage().words.verdict[verdict]} />
);

/** The outcome of an event over all its deliveries: the worst of them, with a count. */
export const OutcomeState: FC<{ readonly statuses: readonly ShownStatus[] }> = ({ statuses }) => {
  const { outcome } = usePage().words;
  const worst = worstOf(statuses);
  if (worst === undefined) return <State tone="off" word={outcome.none} />;
  const count = statuses.filter((each) => each === worst).length;
  return <State tone={toneOf(worst)} word={outcome[worst](count, statuses.length)} />;
};

/** The status that matters most to an operator; undefined without any. */
export function worstOf(statuses: readonly ShownStatus[]): ShownStatus | undefined {
  const order = ['dead', 'running', 'pending', 'discarded', 'skipped', 'succeeded'] as const;
  return order.find((status) => statuses.includes(status));
}
