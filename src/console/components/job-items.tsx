/** The items of a job with a result, and the results of its stages. */
import type { FC } from 'hono/jsx';
import type { JobItemView } from '../../view/job-item-view.ts';
import type { JobDetailView } from '../../view/job-view.ts';
import { Pager } from '../../pages/list.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { usePage } from '../page.ts';
import { DiscardOvertaken } from './groups.tsx';
import { DeliveryState, HandlerLink, SubjectLink } from './event-cells.tsx';

interface ItemsProps {
  readonly heading: string;
  readonly items: readonly JobItemView[];
  readonly next: string | null;
  /** Items with this result that have no names. */
  readonly unnamed: number;
  /** Whether the job has the names of what matched when it started. */
  readonly areNamed: boolean;
}

/** One page of items, and how many more there are that nobody can name any more. */
export const JobItems: FC<ItemsProps> = ({ heading, items, next, unnamed, areNamed }) => {
  const { words } = usePage();
  const older = items.filter(({ why, status }) => why === 'overtaken' && status === 'dead');
  return (
    <section id="items">
      <h2>{heading}</h2>
      {items.length > 0 && (
        <Table
          rows={items}
          columns={[
            { head: words.columns.event, as: 'code', cell: (item) => <ItemLink item={item} /> },
            {
              head: words.columns.subject,
              as: 'code',
              cell: ({ subject }) => <SubjectLink subject={subject} />,
            },
            {
              head: words.columns.handler,
              as: 'code',
              cell: ({ handler }) => (handler === null ? '–' : <HandlerLink name={handler} />),
            },
            { head: words.columns.result, cell: (item) => <Result item={item} /> },
          ]}
        />
      )}
      {unnamed > 0 && (
        <p class="soft">{areNamed ? words.jobs.changed(unnamed) : words.jobs.unnamed(unnamed)}</p>
      )}
      {older.length > 0 && (
        <p class="actions">
          <DiscardOvertaken ids={older.map(({ id }) => id)} isPrimary={false} />
        </p>
      )}
      <Pager next={next} />
    </section>
  );
};

const ItemLink: FC<{ readonly item: JobItemView }> = ({ item: { id, event_id: event } }) => {
  if (event !== null) return <a href={`/events/${event}`}>{event}</a>;
  return id.startsWith('q') ? <a href={`/quarantine/${id}`}>{id}</a> : <>{id}</>;
};

/** The error of the job's own attempt stays; what became of the delivery later is said beside it. */
const Result: FC<{ readonly item: JobItemView }> = ({ item: { result, why, error, status, ...item } }) => {
  const { jobs } = usePage().words;
  const isDated = why === 'succeeded' || why === 'discarded' || (why === 'failed-again' && status === 'dead');
  if (why !== null)
    return (
      <>
        {jobs.why[why]} {isDated && item.finished_at !== null && <Time iso={item.finished_at} />}
        {why === 'overtaken' && item.overtaken_by !== null && (
          <a class="mono" href={`/events/${item.overtaken_by}`}>
            {item.overtaken_by}
          </a>
        )}
        {!isDated && <Later status={status} at={item.finished_at} />}
      </>
    );
  if (result !== 'failed')
    return status === null ? (
      <>–</>
    ) : (
      <>
        <DeliveryState status={status} /> {item.finished_at !== null && <Time iso={item.finished_at} />}
      </>
    );
  return (
    <>
      <span class="error">{error ?? '–'}</span> {item.failed_at !== null && <Time iso={item.failed_at} />}
      <Later status={status} at={item.finished_at} />
    </>
  );
};

/** What became of a delivery after the job. */
const Later: FC<{ readonly status: JobItemView['status']; readonly at: string | null }> = ({
  status,
  at,
}) => {
  const words = usePage().words.jobs.later;
  if (status === null || status === 'dead') return null;
  return (
    <p class={status === 'succeeded' ? 'ok' : 'soft'}>
      {words[status]} {at !== null && <Time iso={at} />}
    </p>
  );
};

/** Where a job has had several stages: what it did before it was resumed, and after. */
export const JobStages: FC<{ readonly job: JobDetailView }> = ({ job: { stages, stop_at: stopAt } }) => {
  const { words, format } = usePage();
  if (stages.length < 2) return null;
  const hasStopped = ({ succeeded, failed, skipped }: JobDetailView['stages'][number]): boolean =>
    stopAt !== null && failed > stopAt * (succeeded + failed + skipped);
  const count = (name: 'acted' | 'succeeded' | 'failed') =>
    ({
      head: name === 'acted' ? words.jobs.acted : words.jobs.results[name],
      as: 'number',
      cell: (row) => format.number(row[name]),
    }) satisfies Column;
  return (
    <>
      <h2>{words.jobs.byStage}</h2>
      <Table
        rows={stages}
        columns={[
          {
            head: words.jobs.stage,
            cell: (row) => (
              <>
                {format.number(row.stage)}{' '}
                {hasStopped(row) && <State tone="bad" word={words.jobs.states.stopped} />}
              </>
            ),
          },
          count('acted'),
          count('succeeded'),
          count('failed'),
        ]}
      />
    </>
  );
};

type Column = Parameters<typeof Table<JobDetailView['stages'][number]>>[0]['columns'][number];
