/** The pages of failures: groups and dead letters. */
import type { FC } from 'hono/jsx';
import { HandlerLink, SubjectLink } from '../components/event-cells.tsx';
import { pauseFormAddress } from '../components/pauses.tsx';
import {
  DiscardOvertaken,
  FailureGroups,
  findOvertaken,
  goesOnFailing,
  isCapped,
  lastRetries,
  MAX_SORTED,
  type OvertakenFailures,
} from '../components/groups.tsx';
import { addressWith } from '../../pages/base-page.ts';
import { Empty, Notice, Pager } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addDetails } from '../../access/audited-request.ts';
import { retryDetails } from '../../view/change-details.ts';
import { addForm } from '../forms.ts';
import { Frame } from '../frame.tsx';
import { addressValues, cursorOf, readConditions } from '../list-filter.ts';
import { may, usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { withCompany } from '../../operate/search/with-company.ts';
import { retryDeliveries } from '../../operate/change/change-deliveries.ts';
import type { JobRecord } from '../../store/jobs.ts';
import { createPauseLookup } from '../../store/pauses.ts';
import type { DeliveryFilter } from '../../store/queries.ts';
import { deliveryView, type DeliveryView } from '../../view/delivery-view.ts';
import { failureGroupView, type FailureGroupView } from '../../view/failure-view.ts';
import {
  deliveryConditions,
  deliveryFilter,
  SEARCHED_FOR_COMPANY,
} from '../../view/parameters/conditions.ts';

/** What the address may select by. */
const { handler, error, company } = deliveryConditions;
const conditions = { handler, error, company };

/** Deliveries of a page. */
const LIMIT = 20;
/** Groups of a page. */
const MAX_GROUPS = 100;

/** Adds the groups of failures, the list of dead deliveries, and the retry of one, which the page of its event has. */
export function addFailuresPages(app: ConsoleApp, deps: PagesDeps): void {
  const { store, clock, dispatcher, registry, pageOf } = deps;

  app.get('/failures', async (c) => {
    const page = await pageOf(c);
    const { searchParams } = page.url;
    const { filter: asked, problem } = readConditions(conditions, searchParams);
    if (asked === undefined) throw new PortariaError('invalid-argument', problem);
    const selected = await withCompany(store, deliveryFilter(asked));
    const { error } = selected;
    const groups = (await store.failureGroups(selected))
      .filter((group) => error === undefined || group.error === error)
      .slice(0, MAX_GROUPS)
      // A group keeps its place however often it fails again.
      .toSorted((one, other) => other.firstAt - one.firstAt || one.error.localeCompare(other.error))
      .map((group) => failureGroupView(group, page));
    const filter: DeliveryFilter = { status: 'dead', ...selected };
    const newest = await store.deliveries(filter, { order: 'newest', limit: MAX_SORTED });
    const sorted = newest.toSorted((one, other) => (other.finishedAt ?? 0) - (one.finishedAt ?? 0));
    const first = sorted.findIndex(({ id }) => id === cursorOf(searchParams)) + 1;
    const deliveries = sorted.slice(first, first + LIMIT).map((delivery) => deliveryView(delivery, page));
    const next = sorted.length > first + LIMIT ? (deliveries.at(-1)?.id ?? null) : null;
    const retries = await lastRetries(store);
    const overtaken = await findOvertaken(deps, newest);
    const canRetry = newest.length === MAX_SORTED || newest.length > [...overtaken.values()].flat().length;
    const paused = createPauseLookup(await store.pauses());
    const isPaused = (handler: string): boolean => paused.ofHandler(handler) !== undefined;
    const found = { groups, retries, overtaken, isPaused, partial: selected.partial };
    const shown = { page, ...found, canRetry, deliveries, next, isPart: newest.length === MAX_SORTED };
    return c.html(<FailuresPage {...shown} />);
  });

  addForm(app, '/failures/retry', { action: 'retryDeliveries' }, async (c) => {
    const fields = c.get('fields');
    const ids = fields.getAll('delivery');
    const event = fields.get('event');
    const { newestOnly } = registry;
    const result = await retryDeliveries(store, { filter: { ids }, clock, newestOnly, dryRun: false });
    addDetails(c, retryDetails(result, ids));
    dispatcher.wake();
    const overtaken = result.left_alone.flatMap(({ id, overtaken_by: by }) => (by === undefined ? [] : [id]));
    // The plan says what is overtaken, and has the box that runs it.
    if (overtaken.length > 0) return c.redirect(planAddress('retry', { ids: overtaken }), 303);
    if (event === null) return c.redirect('/failures', 303);
    return c.redirect(`/events/${encodeURIComponent(event)}?retried=${String(result.retried.length)}`, 303);
  });
}

interface FailuresProps {
  readonly page: Page;
  readonly groups: readonly FailureGroupView[];
  /** The newest first. */
  readonly retries: readonly JobRecord[];
  readonly overtaken: OvertakenFailures;
  readonly isPaused: (handler: string) => boolean;
  /** Whether a retry runs any of them. */
  readonly canRetry: boolean;
  readonly deliveries: readonly DeliveryView[];
  readonly next: string | null;
  /** Whether older ones are not listed. */
  readonly isPart: boolean;
  /** Whether older events were not searched for the company. */
  readonly partial?: boolean | undefined;
}

const FailuresPage: FC<FailuresProps> = ({ page, groups, deliveries, next, ...props }) => {
  const { retries, overtaken, isPaused, canRetry, isPart, partial } = props;
  const words = page.words.failures;
  const older = [...overtaken.values()].flat();
  const company = page.url.searchParams.get('company') ?? '';
  const failing = groups.find((group) => goesOnFailing(group, { isPaused, overtaken }, page.now));
  return (
    <Frame page={page} current="failures" title={page.words.frame.names.failures}>
      <Heading groups={groups} />
      {company !== '' && (
        <p class="lead">
          {page.words.groups.ofCompany(company)} ·{' '}
          <a href={addressWith(page.url, { company: null })}>{page.words.groups.allCompanies}</a>
        </p>
      )}
      {partial === true && <Notice tone="warn">{page.words.groups.partial(SEARCHED_FOR_COMPANY)}</Notice>}
      {groups.length === 0 && deliveries.length === 0 && <Empty>{words.none}</Empty>}
      {older.length > 0 && <Notice tone="warn">{page.words.groups.overtakenWhy(older.length)}</Notice>}
      {deliveries.length > 0 && (
        <p class="actions">
          {failing !== undefined && may(page, 'operate') && (
            <a class="button primary" href={pauseFormAddress(failing.handler)}>
              {page.words.groups.pause(failing.handler)}
            </a>
          )}
          <PlanLink action="retry" isPrimary={canRetry && failing === undefined} />
          <DiscardOvertaken ids={older} isPrimary={!canRetry && failing === undefined} />
          <PlanLink action="discard" />
        </p>
      )}
      {groups.length > 0 && <FailureGroups {...{ groups, retries, overtaken, isPaused }} />}
      {deliveries.length > 0 && <h2>{page.words.columns.deliveries}</h2>}
      {isPart && <p class="soft">{page.words.groups.capped(MAX_SORTED)}</p>}
      {deliveries.length > 0 && <FailuresTable deliveries={deliveries} />}
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
          {words.groups.ofThisKind(only.handler)} ·{' '}
          <a href={addressWith(url, { error: null, handler: null })}>{words.groups.allKinds}</a>
        </p>
      </>
    );
  const sum = (name: 'dead' | 'failing'): number => groups.reduce((all, group) => all + group[name], 0);
  return (
    <>
      <h1>
        {groups.length === 0
          ? words.frame.names.failures
          : words.groups.failures(sum('dead'), sum('failing'), groups.some(isCapped) ? '+' : '')}
      </h1>
      <p class="lead">{groups.length === 0 ? words.failures.lead : words.groups.lead}</p>
    </>
  );
};

/** The way to a plan for everything that the page selects, not for what it shows only. */
const PlanLink: FC<{ readonly action: 'retry' | 'discard'; readonly isPrimary?: boolean }> = ({
  action,
  isPrimary = false,
}) => {
  const page = usePage();
  if (!may(page, 'operate')) return null;
  const given = [...addressValues(page.url.searchParams)].filter(([name]) => name in conditions);
  const { groups } = page.words;
  return (
    <a class={isPrimary ? 'button primary' : 'button'} href={planAddress(action, Object.fromEntries(given))}>
      {action === 'retry' ? groups.retryAll : groups.discardAll}
    </a>
  );
};

const FailuresTable: FC<{ readonly deliveries: readonly DeliveryView[] }> = ({ deliveries }) => {
  const { failures: words, columns } = usePage().words;
  return (
    <Table
      rows={deliveries}
      id={({ id }) => id}
      columns={[
        { head: words.finished, cell: ({ finished_at }) => <Time iso={finished_at} as="relative" /> },
        {
          head: columns.handler,
          as: 'code',
          cell: ({ effect, handler }) => effect ?? <HandlerLink name={handler} />,
        },
        {
          head: columns.event,
          as: 'code',
          cell: (delivery) => (
            <>
              <a href={`/events/${delivery.event_id}`}>{delivery.kind}</a>
              <br />
              <SubjectLink subject={delivery.subject} />
            </>
          ),
        },
        { head: columns.error, cell: ({ last_error }) => <span class="error">{last_error}</span> },
      ]}
    />
  );
};
