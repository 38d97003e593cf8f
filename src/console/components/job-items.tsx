/** The items of a job with a result. */
import type { FC } from 'hono/jsx';
import type { PagesDeps } from '../console-deps.ts';
import { eventNumber } from '../../handle/fold/event-number.ts';
import type { ListPage } from '../../kernel/row-pages.ts';
import type { JobRecord } from '../../store/jobs.ts';
import { jobItemView, type JobItemView } from '../../view/job-item-view.ts';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { usePage } from '../page.ts';
import { readCalls } from './planned-items.tsx';
import { DeliveryState, subjectColumn, handlerColumn } from './event-cells.tsx';

/** One page of items, the oldest first. What the store calls skipped, a discard was to do. */
export const JobItems: FC<{ readonly items: readonly JobItemView[]; readonly isDiscard: boolean }> = ({
  items,
  isDiscard,
}) => {
  const { columns } = usePage().words;
  return (
    <Table
      rows={items}
      columns={[
        { head: columns.event, as: 'code', cell: (item) => <ItemLink item={item} /> },
        subjectColumn(),
        handlerColumn(),
        { head: columns.result, cell: (item) => <Result {...{ item, isDiscard }} /> },
      ]}
    />
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
  const { why: whys, later } = usePage().words.jobs;
  const at = item.finished_at !== null && <Time iso={item.finished_at} />;
  const after = status !== null && status !== 'dead' && (
    <p class={status === 'succeeded' ? 'ok' : 'soft'}>
      {later[status]} {at}
    </p>
  );
  const isDated = why === 'succeeded' || why === 'discarded' || (why === 'failed-again' && status === 'dead');
  if (why !== null)
    return (
      <>
        {whys[why]} {isDated && at}
        {why === 'overtaken' && item.overtaken_by !== null && (
          <a class="mono" href={`/events/${item.overtaken_by}`}>
            {item.overtaken_by}
          </a>
        )}
        {!isDated && after}
      </>
    );
  if (result === 'failed')
    return (
      <>
        <span class="error">{error ?? '–'}</span> {item.failed_at !== null && <Time iso={item.failed_at} />}
        {after}
      </>
    );
  if (status === null) return <>–</>;
  return (
    <>
      <DeliveryState status={isDiscard && status === 'skipped' ? 'discarded' : status} /> {at}
    </>
  );
};
