/** The pages of failures: groups and dead letters. */
import type { FC } from 'hono/jsx';
import { TextChip } from '../components/filters.tsx';
import { ForOperators, Hidden } from '../components/form-fields.tsx';
import { pauseFormAddress } from '../components/pauses.tsx';
import {
  DiscardOvertaken,
  FailureGroups,
  isCapped,
  MAX_SORTED,
  readFailures,
} from '../components/groups.tsx';
import { DeliveryTable } from '../components/planned-items.tsx';
import { addressWith } from '../../pages/base-page.ts';
import { Empty, Notice, Pager } from '../../pages/list.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addDetails } from '../../access/audited-request.ts';
import { retryDetails } from '../../view/change-details.ts';
import { addForm } from '../forms.ts';
import { Frame } from '../frame.tsx';
import { addressValues, cursorOf, readConditions } from '../list-filter.ts';
import { usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { withCompany } from '../../operate/search/with-company.ts';
import { retryDeliveries } from '../../operate/change/change-deliveries.ts';
import { deliveryView } from '../../view/delivery-view.ts';
import type { FailureGroupView } from '../../view/failure-view.ts';
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
  app.get('/failures', async (c) => c.html(<FailuresPage {...await readPage(deps, await pageOf(c))} />));

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

async function readPage(deps: PagesDeps, page: Page) {
  const { searchParams } = page.url;
  const { filter: asked, problem, problems } = readConditions(conditions, page);
  if (asked === undefined)
    throw new PortariaError('invalid-argument', problems['company'] ?? problem.message);
  const selected = await withCompany(deps.store, deliveryFilter(asked));
  const { groups, newest } = await readFailures(deps, page, selected);
  const sorted = newest.toSorted((one, other) => (other.finishedAt ?? 0) - (one.finishedAt ?? 0));
  const first = sorted.findIndex(({ id }) => id === cursorOf(searchParams)) + 1;
  const deliveries = sorted.slice(first, first + LIMIT).map((delivery) => deliveryView(delivery, page));
  const isPart = newest.length === MAX_SORTED;
  const older = groups.flatMap((group) => group.older);
  return {
    // A group keeps its place however often it fails again.
    groups: groups
      .slice(0, MAX_GROUPS)
      .toSorted(
        (one, other) => other.first_at.localeCompare(one.first_at) || one.error.localeCompare(other.error),
      ),
    ...{ page, deliveries, older, isPart },
    /** Whether a retry runs any of them. */
    canRetry: isPart || newest.length > older.length,
    next: sorted.length > first + LIMIT ? (deliveries.at(-1)?.id ?? null) : null,
    /** Whether older events were not searched for the company. */
    partial: selected.partial,
  };
}

const FailuresPage: FC<Awaited<ReturnType<typeof readPage>>> = ({
  page,
  groups,
  deliveries,
  older,
  ...props
}) => {
  const { failures: words, groups: said, columns } = page.words;
  const failing = groups.find((group) => group.goesOn);
  return (
    <Frame page={page} current="failures" title={page.words.frame.names.failures}>
      <Heading groups={groups} />
      <form action="/failures" class="chips">
        <Hidden fields={[...page.url.searchParams].filter(([name]) => name === 'error')} />
        <TextChip name="handler" label={columns.handler} />
        <TextChip name="company" label={columns.company} hint="12" />
      </form>
      {props.partial === true && <Notice tone="warn">{said.partial(SEARCHED_FOR_COMPANY)}</Notice>}
      {groups.length + deliveries.length === 0 && <Empty>{words.none}</Empty>}
      {older.length > 0 && <Notice tone="warn">{said.overtakenWhy(older.length)}</Notice>}
      {deliveries.length > 0 && (
        <ForOperators>
          <p class="actions">
            {failing !== undefined && (
              <a class="button primary" href={pauseFormAddress(failing.handler)}>
                {said.pause(failing.handler)}
              </a>
            )}
            <PlanLink action="retry" isPrimary={props.canRetry && failing === undefined} />
            <DiscardOvertaken ids={older} isPrimary={!props.canRetry && failing === undefined} />
            <PlanLink action="discard" />
          </p>
        </ForOperators>
      )}
      {groups.length > 0 && <FailureGroups groups={groups} />}
      {deliveries.length > 0 && <h2>{columns.deliveries}</h2>}
      {props.isPart && <p class="soft">{said.capped(MAX_SORTED)}</p>}
      {deliveries.length > 0 && <DeliveryTable deliveries={deliveries} />}
      <Pager next={props.next} />
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
  const given = [...addressValues(page.url.searchParams)].filter(([name]) => name in conditions);
  const { groups } = page.words;
  return (
    <a class={isPrimary ? 'button primary' : 'button'} href={planAddress(action, Object.fromEntries(given))}>
      {action === 'retry' ? groups.retryAll : groups.discardAll}
    </a>
  );
};
