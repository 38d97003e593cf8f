/** The pages of failures: groups and dead letters. */
import type { FC } from 'hono/jsx';
import { FailureGroups } from '../components/groups.tsx';
import { Empty, Notice, Pager } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addDetails } from '../../access/audited-request.ts';
import { retryDetails } from '../../view/change-details.ts';
import { addForm } from '../forms.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { cursorOf } from '../list-filter.ts';
import { may, usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { readPage } from '../../kernel/row-pages.ts';
import { withCompany } from '../../operate/search/with-company.ts';
import type { FailureFilter } from '../../store/plans.ts';
import { retryDeliveries } from '../../operate/change/change-deliveries.ts';
import type { DeliveryFilter } from '../../store/queries.ts';
import { deliveryView, type DeliveryView } from '../../view/delivery-view.ts';
import { failureGroupView, type FailureGroupView } from '../../view/failure-view.ts';

/** Deliveries of a page. */
const LIMIT = 50;
/** Groups of a page. */
const MAX_GROUPS = 100;

/** Adds the groups of failures, the list of dead deliveries, and the retry of those that are shown. */
export function addFailuresPages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, clock, dispatcher, registry, pageOf } = deps;

  app.get('/failures', async (c) => {
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const { error, ...conditions } = conditionsOf(searchParams);
    const selected = await withCompany<FailureFilter>(store, conditions);
    const groups = (await store.failureGroups(selected))
      .filter((group) => error === undefined || group.error === error)
      .slice(0, MAX_GROUPS)
      .map((group) => failureGroupView(group, page));
    const filter: DeliveryFilter = {
      status: 'dead',
      ...selected,
      ...(error !== undefined && { error }),
    };
    const { rows, next } = await readPage(LIMIT, cursorOf(searchParams), (limits) =>
      store.deliveries(filter, { order: 'newest', ...limits }),
    );
    const deliveries = rows.map((delivery) => deliveryView(delivery, page));
    return c.html(<FailuresPage page={page} groups={groups} deliveries={deliveries} next={next} />);
  });

  addForm(app, '/failures/retry', { action: 'retryDeliveries' }, async (c) => {
    const ids = c.get('fields').getAll('delivery');
    const { newestOnly } = registry;
    const result = await retryDeliveries(store, { filter: { ids }, clock, newestOnly, dryRun: false });
    addDetails(c, retryDetails(result, ids));
    dispatcher.wake();
    const overtaken = result.left_alone.flatMap(({ id, overtaken_by: by }) => (by === undefined ? [] : [id]));
    // The plan says what is overtaken, and has the box that runs it.
    if (overtaken.length > 0) return c.redirect(planAddress('retry', { ids: overtaken }), 303);
    return c.redirect(`/failures?retried=${String(result.retried.length)}`, 303);
  });
}

interface FailuresProps {
  readonly page: Page;
  readonly groups: readonly FailureGroupView[];
  readonly deliveries: readonly DeliveryView[];
  readonly next: string | null;
}

const FailuresPage: FC<FailuresProps> = ({ page, groups, deliveries, next }) => {
  const words = page.words.failures;
  const retried = page.url.searchParams.get('retried');
  return (
    <Frame page={page} current="failures" title={words.title}>
      <Heading groups={groups} />
      {retried !== null && <Notice tone="ok">{page.words.event.retried(Number(retried))}</Notice>}
      {groups.length === 0 && deliveries.length === 0 && <Empty>{words.none}</Empty>}
      {groups.length > 0 && <FailureGroups groups={groups} />}
      {deliveries.length > 0 && may(page, 'operate') && <PlanLinks />}
      {deliveries.length > 0 && <h2>{page.words.groups.deliveries}</h2>}
      {deliveries.length > 0 && <FailuresTable deliveries={deliveries} />}
      {deliveries.length > 0 && may(page, 'operate') && (
        <form method="post" action="/failures/retry" class="actions">
          <FormToken page={page} />
          {deliveries.map(({ id }) => (
            <input type="hidden" name="delivery" value={id} />
          ))}
          <button>{words.retryShown(deliveries.length)}</button>
        </form>
      )}
      <Pager next={next} />
    </Frame>
  );
};

/** What failed, in a sentence; the error, when one kind is shown. */
const Heading: FC<{ readonly groups: readonly FailureGroupView[] }> = ({ groups }) => {
  const { words, url } = usePage();
  const [only] = groups;
  if (url.searchParams.has('error') && only !== undefined)
    return (
      <>
        <h1 class="kind">{only.kind_of_error || '–'}</h1>
        <p class="lead">
          {words.groups.ofThisKind(only.handler)} · <a href="/failures">{words.groups.allKinds}</a>
        </p>
      </>
    );
  const sum = (name: 'dead' | 'failing'): number => groups.reduce((all, group) => all + group[name], 0);
  return (
    <>
      <h1>
        {groups.length === 0 ? words.failures.title : words.groups.failures(sum('dead'), sum('failing'))}
      </h1>
      <p class="lead">{groups.length === 0 ? words.failures.lead : words.groups.lead}</p>
    </>
  );
};

/** The conditions of an address, without empty ones. */
function conditionsOf(
  parameters: URLSearchParams,
): Readonly<Partial<Record<'handler' | 'error' | 'company', string>>> {
  return Object.fromEntries(
    ['handler', 'error', 'company'].flatMap((name) => {
      const value = parameters.get(name) ?? '';
      return value === '' ? [] : [[name, value] as const];
    }),
  );
}

/** Plans for everything that the page selects, not for what it shows only. */
const PlanLinks: FC = () => {
  const { words, url } = usePage();
  const conditions = { ...conditionsOf(url.searchParams) };
  return (
    <p class="actions">
      <a class="button primary" href={planAddress('retry', conditions)}>
        {words.groups.retryAll}
      </a>
      <a class="button" href={planAddress('discard', conditions)}>
        {words.groups.discardAll}
      </a>
    </p>
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
