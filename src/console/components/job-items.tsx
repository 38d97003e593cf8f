/** The items of a job with a result. */
import type { FC } from 'hono/jsx';
import type { PagesDeps } from '../console-deps.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import type { ListPage } from '../../kernel/row-pages.ts';
import type { JobRecord } from '../../store/jobs.ts';
import { jobItemView, type JobItemView } from '../../view/job-item-view.ts';
import { Pager } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { usePage } from '../page.ts';
import { DiscardOvertaken } from './groups.tsx';
import { readCalls } from './planned-items.tsx';
import { DeliveryState, subjectColumn, handlerColumn } from './event-cells.tsx';

interface ItemsProps {
  readonly heading: string;
  /** Whether the job discards: what the store calls skipped is what it was to do. */
  readonly isDiscard: boolean;
  readonly items: readonly JobItemView[];
  readonly next: string | null;
  /** Why they have this result, or how many more nobody can name any more. */
  readonly note: string | false | null;
  /** Ids of those that a discard ends, also of other pages. */
  readonly overtaken: readonly string[];
}

/** One page of items, the oldest first. */
export const JobItems: FC<ItemsProps> = ({ heading, isDiscard, items, next, note, overtaken }) => {
  const { words } = usePage();
  return (
    <section id="items">
      <h2>{heading}</h2>
      {Boolean(note) && <p class="soft">{note}</p>}
      {items.length > 0 && (
        <Table
          rows={items}
          columns={[
            { head: words.columns.event, as: 'code', cell: (item) => <ItemLink item={item} /> },
            subjectColumn(),
            handlerColumn(),
            { head: words.columns.result, cell: (item) => <Result {...{ item, isDiscard }} /> },
          ]}
        />
      )}
      <Pager next={next} labels={{ next: words.jobs.more, first: words.jobs.first }} />
      {overtaken.length > 0 && (
        <p class="actions">
          <DiscardOvertaken ids={overtaken} isPrimary={false} />
        </p>
      )}
    </section>
  );
};

/** Reads what a replay has not come to, as items. */
export async function notBegun(
  deps: Pick<PagesDeps, 'store' | 'registry'>,
  { selection, cursor }: JobRecord,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<ListPage<JobItemView>> {
  if (!('events' in selection)) return { rows: [], next: null };
  const read = (from: string | null, most: number) =>
    readCalls(deps, selection.events, { after: from, limit: most });
  const calls = await read(after === undefined ? cursor : String(eventNumber(after)), limit);
  const last = calls.at(-1)?.event_id;
  const more = last === undefined ? [] : await read(String(eventNumber(last)), 1);
  const nothing = { delivery: undefined, entry: undefined, attempts: [], overtakenBy: null };
  return {
    rows: calls.map(({ event_id: id, subject, handler }) => ({
      ...jobItemView({ ...nothing, id, eventId: id }, 'not_begun', { endedAt: null }, { unmask: false }),
      ...{ subject, handler },
    })),
    next: more.length > 0 ? (last ?? null) : null,
  };
}

const ItemLink: FC<{ readonly item: JobItemView }> = ({ item: { id, event_id: event } }) => {
  if (event !== null) return <a href={`/events/${event}`}>{event}</a>;
  return id.startsWith('q') ? <a href={`/quarantine/${id}`}>{id}</a> : <>{id}</>;
};

/** The error of the job's own attempt stays; what became of the delivery later is said beside it. */
const Result: FC<{ readonly item: JobItemView; readonly isDiscard: boolean }> = ({
  item: { result, why, error, status, ...item },
  isDiscard,
}) => {
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
        <DeliveryState status={isDiscard && status === 'skipped' ? 'discarded' : status} />{' '}
        {item.finished_at !== null && <Time iso={item.finished_at} />}
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
