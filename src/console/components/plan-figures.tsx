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
import { Listed } from './facts.tsx';
import { Quoted } from './foreign-text.tsx';
import { Hidden } from './form-fields.tsx';
import { DiscardOvertaken } from './groups.tsx';
import type { PlannedItems } from './planned-items.tsx';

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
          <a href={eventsAddress(url, { flag: 'unrecognized' })}>{words.showUnrecognized}</a>
        </Notice>
      )}
      {entries !== null && (
        <p>
          {words.passing(entries.passing, entries.tried)}
          {entries.tried < plan.items && ` ${words.triedFirst(entries.tried)}`}
        </p>
      )}
      <Listed
        title={words.becoming}
        rows={predicted.filter((verdict) => (entries?.verdicts[verdict] ?? 0) > 0)}
        columns={[
          { head: columns.verdict, cell: (verdict) => words.predictions[verdict][0] },
          { head: columns.meaning, cell: (verdict) => words.predictions[verdict][1] },
          {
            head: columns.webhooks,
            as: 'number',
            cell: (verdict) => number(entries?.verdicts[verdict] ?? 0),
          },
        ]}
      />
      <Listed
        title={entries?.passing === 0 ? words.noneCan : words.stay}
        rows={entries?.left ?? []}
        columns={[
          { head: columns.field, as: 'code', cell: ({ path }) => path || '–' },
          { head: columns.problem, cell: ({ problem }) => <Quoted text={problem} /> },
          { head: columns.webhooks, as: 'number', cell: ({ entries: count }) => number(count) },
        ]}
      />
      <Listed
        title={words.handlers}
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
      <Listed
        title={words.busiest}
        rows={(lanes[0]?.deliveries ?? 0) > 1 ? lanes : []}
        columns={[
          subjectColumn(),
          handlerColumn(),
          { head: columns.deliveries, as: 'number', cell: ({ deliveries }) => number(deliveries) },
        ]}
      />
    </>
  );
};

/** What the entries that are valid now would become, each as if those before it had been released. */
const predicted = ['new', 'stale', 'ambiguous', 'duplicate', 'conflict'] as const;

/** The events that a replay selects. */
function eventsAddress({ searchParams }: URL, more: Readonly<Record<string, string>> = {}): string {
  const names = ['kind', 'subject', 'source', 'since', 'until'];
  const given = [...searchParams].filter(([name]) => names.includes(name));
  return `/events?${new URLSearchParams([...given, ...Object.entries(more)]).toString()}`;
}

/** What of a replay has succeeded already and runs a second time, before the button that starts it. */
export const Twice: FC<Shown> = ({ plan: { handlers, items }, request }) => {
  const { plans: words } = usePage().words;
  const count = handlers.reduce((sum, { already_succeeded: each }) => sum + (each ?? 0), 0);
  return count === 0 || !runsTwice(request) ? null : (
    <Notice tone="bad">
      <b>{words.warning}</b> {words.twice(count, items)} <Otherwise request={request} />
    </Notice>
  );
};

/** The other choice for what has succeeded already. */
const Otherwise: FC<Pick<Shown, 'request'>> = ({ request }) => {
  const { words, url } = usePage();
  const twice = runsTwice(request);
  return !url.searchParams.has('action') ? null : (
    <a href={addressWith(url, { if_not_succeeded: String(twice) })}>{words.plans.otherwise(!twice)}</a>
  );
};

/** Whether a replay runs what was handled already. */
export const runsTwice = (request: PlanRequest): boolean =>
  request.action === 'replay' && !request.events.ifNotSucceeded;

interface Shown {
  readonly plan: PlanView;
  readonly request: PlanRequest;
}

/** What is left out, or runs by the choice of the visitor: what was overtaken, and of a replay what has succeeded. */
export const LeftOut: FC<Shown> = ({ plan, request }) => {
  const { words: all, url } = usePage();
  const { plans: words } = all;
  const { count, run, shown, included } = plan.overtaken;
  const given = [...url.searchParams].filter(([name]) => name !== 'include_overtaken');
  const handled = runsTwice(request) ? [] : plan.handlers.filter((each) => (each.already_succeeded ?? 0) > 0);
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
      {handled.length > 0 && (
        <p class="soft">
          {handled.map((each) => `${words.leftOut(each.handler, each.already_succeeded ?? 0)} `)}
          <Otherwise request={request} />
        </p>
      )}
    </>
  );
};

/** Some of what was overtaken. */
export const OvertakenTable: FC<{ readonly plan: PlanView; readonly rows: PlannedItems['overtaken'] }> = ({
  plan: { overtaken, replay },
  rows,
}) => {
  const { words: all, url } = usePage();
  const { plans: words, columns } = all;
  const every = overtaken.count + overtaken.run;
  const isPart = rows.length < every;
  if (rows.length === 0) return null;
  return (
    <>
      <h2>
        {all.jobs.overtaken}{' '}
        {isPart && (
          <span class="soft">{(replay === null ? words.itemsOf : words.examples)(rows.length, every)}</span>
        )}
      </h2>
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
      {isPart && replay !== null && (
        <p>
          <a href={eventsAddress(url)}>{words.allEvents(replay.events)}</a>
        </p>
      )}
    </>
  );
};
