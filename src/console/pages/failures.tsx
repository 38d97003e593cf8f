import type { FC } from 'hono/jsx';
import { Empty, Notice, Pager } from '../components/list.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { FormToken, Frame } from '../frame.tsx';
import { requirePermission } from '../guards.ts';
import { isCursor } from '../list-filter.ts';
import { may, usePage, type Page } from '../page.ts';
import { retryDeliveries } from '../../operate/retry-deliveries.ts';
import { deliveryView, type DeliveryView } from '../../view/delivery-view.ts';

/** Deliveries of a page. */
const LIMIT = 50;

/** Adds the list of dead deliveries, and the retry of those that are shown. */
export function addFailuresPages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, clock, dispatcher, pageOf } = deps;

  app.get('/failures', async (c) => {
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const [after, handler] = [searchParams.get('after'), searchParams.get('handler')];
    const found = await store.deliveries(
      { status: 'dead', ...(handler !== null && handler !== '' && { handler }) },
      { order: 'newest', limit: LIMIT + 1, ...(isCursor(after) && { after }) },
    );
    const deliveries = found.slice(0, LIMIT).map((delivery) => deliveryView(delivery, page));
    const next = found.length > LIMIT ? (deliveries.at(-1)?.id ?? null) : null;
    return c.html(<FailuresPage page={page} deliveries={deliveries} next={next} />);
  });

  app.post('/failures/retry', async (c) => {
    requirePermission(c, 'operate');
    const ids = c.get('fields').getAll('delivery');
    const { retried } = await retryDeliveries(store, { filter: { ids }, clock, dryRun: false });
    dispatcher.wake();
    return c.redirect(`/failures?retried=${String(retried.length)}`, 303);
  });
}

interface FailuresProps {
  readonly page: Page;
  readonly deliveries: readonly DeliveryView[];
  readonly next: string | null;
}

const FailuresPage: FC<FailuresProps> = ({ page, deliveries, next }) => {
  const words = page.words.failures;
  const retried = page.url.searchParams.get('retried');
  return (
    <Frame page={page} current="failures" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {retried !== null && <Notice tone="ok">{page.words.event.retried(Number(retried))}</Notice>}
      {deliveries.length === 0 ? <Empty>{words.none}</Empty> : <FailuresTable deliveries={deliveries} />}
      {deliveries.length > 0 && may(page, 'operate') && (
        <form method="post" action="/failures/retry" class="actions">
          <FormToken page={page} />
          {deliveries.map(({ id }) => (
            <input type="hidden" name="delivery" value={id} />
          ))}
          <button class="primary">{words.retryShown(deliveries.length)}</button>
        </form>
      )}
      <Pager next={next} />
    </Frame>
  );
};

const FailuresTable: FC<{ readonly deliveries: readonly DeliveryView[] }> = ({ deliveries }) => {
  const words = usePage().words.failures;
  return (
    <Table
      rows={deliveries}
      id={({ id }) => id}
      columns={[
        { head: words.finished, cell: ({ finished_at }) => <Time iso={finished_at} as="relative" /> },
        { head: words.handler, as: 'code', cell: ({ effect, handler }) => effect ?? handler },
        {
          head: words.event,
          as: 'code',
          cell: (delivery) => (
            <>
              <a href={`/events/${delivery.event_id}`}>{delivery.kind}</a>
              <br />
              <span class="soft">{delivery.subject}</span>
            </>
          ),
        },
        { head: words.error, cell: ({ last_error }) => <span class="error">{last_error}</span> },
        { head: words.attempts, as: 'number', cell: ({ attempts }) => String(attempts) },
      ]}
    />
  );
};
