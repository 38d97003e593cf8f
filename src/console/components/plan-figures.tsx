/** The numbers of a plan, what it leaves out, and what it runs a second time. */
import type { FC } from 'hono/jsx';
import { Notice } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { PlanView } from '../../view/plan-view.ts';
import { addressWith } from '../../pages/base-page.ts';
import type { PlanRequest } from '../../jobs/plan-request.ts';
import { usePage } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { subjectColumn, handlerColumn } from './event-cells.tsx';
import { Quoted } from './foreign-text.tsx';
import { Hidden } from './form-fields.tsx';
import { DiscardOvertaken } from './groups.tsx';
import type { OvertakenItem } from './planned-items.tsx';

/** What a plan would do, in numbers: by handler, by subject, and by verdict for a release. */
export const PlanFigures: FC<{ readonly plan: PlanView }> = ({ plan }) => {
  const { words: all, format, url } = usePage();
  const { plans: words, columns } = all;
  const { entries, replay, handlers, lanes } = plan;
  const number = (value: number | null): string => (value === null ? '–' : format.number(value));
  return (
    <>
      {replay !== null && <p>{words.events(replay.events, replay.subjects, replay.pruned)}</p>}
      {replay !== null && replay.unrecognized > 0 && (
        <Notice tone="warn">
          {words.unrecognized(replay.unrecognized)} {words.unrecognizedWay}{' '}
          <a href={unrecognizedAddress(url)}>{words.showUnrecognized}</a>
        </Notice>
      )}
      {entries !== null && (
        <p>
          {words.passing(entries.passing, entries.tried)}
          {entries.tried < plan.items && ` ${words.triedFirst(entries.tried)}`}
        </p>
      )}
      {entries !== null && entries.passing > 0 && <Predictions verdicts={entries.verdicts} />}
      {entries !== null && entries.left.length > 0 && (
        <>
          <h2>{entries.passing === 0 ? words.noneCan : words.stay}</h2>
          <Table
            rows={entries.left}
            columns={[
              { head: columns.field, as: 'code', cell: ({ path }) => path || '–' },
              { head: columns.problem, cell: ({ problem }) => <Quoted text={problem} /> },
              { head: columns.webhooks, as: 'number', cell: ({ entries: count }) => number(count) },
            ]}
          />
        </>
      )}
      {handlers.length > 0 && (
        <>
          <h2>{words.handlers}</h2>
          <Table
            rows={handlers}
            columns={[
              handlerColumn(),
              { head: columns.deliveries, as: 'number', cell: ({ items }) => number(items) },
              replay === null && { head: columns.subjects, as: 'number', cell: (each) => number(each.lanes) },
              replay === null && {
                head: words.retriedBefore,
                as: 'number',
                cell: (each) => number(each.retried_before),
              },
              replay === null && {
                head: words.oldest,
                cell: ({ oldest_at }) => <Time iso={oldest_at} as="relative" />,
              },
            ]}
          />
        </>
      )}
      {(lanes[0]?.deliveries ?? 0) > 1 && (
        <>
          <h2>{words.busiest}</h2>
          <Table
            rows={lanes}
            columns={[
              subjectColumn(),
              handlerColumn(),
              { head: columns.deliveries, as: 'number', cell: ({ deliveries }) => number(deliveries) },
            ]}
          />
        </>
      )}
    </>
  );
};

const predicted = ['new', 'stale', 'ambiguous', 'duplicate', 'conflict'] as const;

/** What the entries that are valid now would become, each as if those before it had been released. */
const Predictions: FC<Pick<NonNullable<PlanView['entries']>, 'verdicts'>> = ({ verdicts }) => {
  const { words: all, format } = usePage();
  const { plans: words, columns } = all;
  return (
    <>
      <h2>{words.becoming}</h2>
      <Table
        rows={predicted.filter((verdict) => verdicts[verdict] > 0)}
        columns={[
          { head: columns.verdict, cell: (verdict) => words.predictions[verdict][0] },
          { head: columns.meaning, cell: (verdict) => words.predictions[verdict][1] },
          { head: columns.webhooks, as: 'number', cell: (verdict) => format.number(verdicts[verdict]) },
        ]}
      />
    </>
  );
};

/** The list of the events that a replay leaves out, by the conditions of its plan. */
function unrecognizedAddress({ searchParams }: URL): string {
  const names = ['kind', 'subject', 'source', 'since', 'until'];
  const given = names.flatMap((name) =>
    searchParams.getAll(name).map((value) => [name, value] as [string, string]),
  );
  return `/events?${new URLSearchParams([...given, ['flag', 'unrecognized']]).toString()}`;
}

interface HandledProps {
  readonly plan: PlanView;
  readonly request: PlanRequest;
}

/** Which deliveries of a replay have succeeded already, whether they run again, and a link to the other choice. */
export const Handled: FC<HandledProps> = ({ plan: { handlers, items }, request }) => {
  const { words, url } = usePage();
  const handled = handlers.filter((each) => (each.already_succeeded ?? 0) > 0);
  if (handled.length === 0) return null;
  const isLeftOut = !runsTwice(request);
  const otherwise = url.searchParams.has('action') && (
    <a href={addressWith(url, { if_not_succeeded: String(!isLeftOut) })}>
      {words.plans.otherwise(isLeftOut)}
    </a>
  );
  return isLeftOut ? (
    <p>
      {handled
        .map(({ handler, already_succeeded: count }) => words.plans.leftOut(handler, count ?? 0))
        .join(' ')}{' '}
      {otherwise}
    </p>
  ) : (
    <Notice tone="bad">
      <b>{words.plans.warning}</b>{' '}
      {words.plans.twice(
        handled.reduce((sum, { already_succeeded: count }) => sum + (count ?? 0), 0),
        items,
      )}{' '}
      {otherwise}
    </Notice>
  );
};

/** Whether a replay runs what was handled already. */
export const runsTwice = (request: PlanRequest): boolean =>
  request.action === 'replay' && !request.events.ifNotSucceeded;

/** Deliveries older than what their handler has done: left out, or run if the box is ticked. */
export const Overtaken: FC<{ readonly plan: PlanView; readonly rows: readonly OvertakenItem[] }> = ({
  plan,
  rows,
}) => {
  const { words: all, url } = usePage();
  const { plans: words, columns } = all;
  const { count, run, shown, included } = plan.overtaken;
  if (count + run === 0 && !included) return null;
  const given = [...url.searchParams].filter(([name]) => name !== 'include_overtaken');
  return (
    <>
      {count > 0 && (
        <Notice tone="warn">{words.overtaken(count, [...new Set(shown.map((each) => each.handler))])}</Notice>
      )}
      {count > 0 && run === 0 && plan.action === 'retry' && (
        <p class="actions">
          <DiscardOvertaken ids={shown.map(({ id }) => id)} isPrimary={plan.items === 0} />
        </p>
      )}
      {run > 0 && (
        <Notice tone="warn">
          {words.older(run)}{' '}
          {plan.action === 'retry' && (
            <a href={planAddress('discard', { ids: shown.map(({ id }) => id) })}>
              {words.discardShown(shown.length)}
            </a>
          )}
        </Notice>
      )}
      {rows.length > 0 && (
        <>
          {rows.length < count + run && (
            <h2>{plan.replay === null ? words.itemsOf(rows.length, count + run) : words.example}</h2>
          )}
          <Table
            rows={rows}
            columns={[
              { head: columns.kind, as: 'code', cell: ({ href, kind }) => <a href={href}>{kind ?? '–'}</a> },
              subjectColumn(),
              handlerColumn(),
              {
                head: words.overtakenBy,
                as: 'code',
                cell: ({ by }) => (by === null ? '–' : <a href={`/events/${by}`}>{by}</a>),
              },
            ]}
          />
        </>
      )}
      {(count > 0 || included) && url.searchParams.has('action') && (
        <form action="/plan" class="actions">
          <Hidden fields={given} />
          <label class="check">
            <input type="checkbox" name="include_overtaken" value="true" checked={included} />
            <span>{words.includeOvertaken}</span>
          </label>
          <button>{words.planAgain}</button>
        </form>
      )}
    </>
  );
};
