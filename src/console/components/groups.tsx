/** Groups of failed deliveries and of quarantined webhooks, as tables. */
import type { FC } from 'hono/jsx';
import { may, usePage, type Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { failureGroupView, type ProblemGroupView } from '../../view/failure-view.ts';
import { CountLink, problemAddress, SubjectLink, handlerColumn } from './event-cells.tsx';
import type { PagesDeps } from '../console-deps.ts';
import { errorKind, fingerprintOf } from '../../kernel/text/error-kind.ts';
import type { Registry } from '../../handle/load/registry.ts';
import type { JobSelection } from '../../store/jobs.ts';
import { createPauseLookup, type PauseLookup } from '../../store/pauses.ts';
import { MAX_FAILING_COUNTED, type FailureGroup, type Plans } from '../../store/plans.ts';
import type { HeldWebhook } from '../../operate/show/held-webhooks.ts';
import type { DeliveryFilter, DeliveryRecord } from '../../store/queries.ts';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { goesOn } from '../goes-on.ts';
import { openAddress } from './form-fields.tsx';
import { KindOf, Seen } from './entry-table.tsx';
import { pauseFormAddress } from './pauses.tsx';
import { Quoted } from './foreign-text.tsx';
import { isUnreadable } from '../../event/delivery.ts';

/** Failed deliveries that are read to find the overtaken: the newest. */
export const MAX_SORTED = 500;
/** Ids that the address of a plan holds. */
export const MAX_NAMED = 200;
/** Jobs among which the last retry of a group is looked for. */
const MAX_JOBS = 50;

/** Reads the groups of failures that a filter selects, with what decides what is done about each. */
export async function readFailures(
  { store, registry, dispatcher }: Pick<PagesDeps, 'store' | 'registry' | 'dispatcher'>,
  page: Page,
  filter: DeliveryFilter,
) {
  const newest = await store.deliveries(
    { ...filter, status: 'dead' },
    { order: 'newest', limit: MAX_SORTED },
  );
  const overtaken = await findOvertaken({ store, registry }, newest);
  const retries = (await store.jobs({ limit: MAX_JOBS })).filter(({ action }) => action === 'retry');
  const paused = createPauseLookup(await store.pauses());
  const now = { overtaken, paused, open: dispatcher.status().openBreakers, now: page.now };
  const groups = (await store.failureGroups(filter))
    .filter(({ error }) => filter.error === undefined || error === filter.error)
    .map((group) => ({
      ...failureGroupView(group, page),
      /** Ids of the overtaken among them. */
      older: overtaken.get(keyOf(group)) ?? [],
      job: retries.find(({ selection }) => takesIn(selection, group))?.id,
      goesOn: failsOn(group, now),
    }));
  return { groups, newest };
}

type ReadGroup = Awaited<ReturnType<typeof readFailures>>['groups'][number];

/** Whether deliveries of a group still fail, of a handler that runs. What it has passed says nothing of the next. */
export function failsOn(
  group: FailureGroup,
  at: {
    readonly overtaken: OvertakenFailures;
    readonly paused: PauseLookup;
    readonly open: readonly { readonly handler: string }[];
    readonly now: number;
  },
): boolean {
  if (at.paused.ofHandler(group.handler) !== undefined) return false;
  if (at.open.some(({ handler }) => handler === group.handler)) return false;
  const times = group.dead + group.failing - (at.overtaken.get(keyOf(group))?.length ?? 0);
  return goesOn({ ...group, times }, at.now);
}

/** Failed deliveries by handler and kind of error, with a way to their deliveries and to a plan for all of them. */
export const FailureGroups: FC<{ readonly groups: readonly ReadGroup[] }> = ({ groups }) => {
  const page = usePage();
  const { words, format } = page;
  // A link that lost the condition of the page would select more than its row counts.
  const company = page.url.searchParams.get('company') ?? '';
  const conditionsOf = ({ handler, error }: ReadGroup) => ({
    ...{ handler, error },
    ...(company !== '' && { company }),
  });
  const addressOf = (group: ReadGroup, list = '/failures') =>
    `${list}?${new URLSearchParams(conditionsOf(group)).toString()}`;
  return (
    <Table
      rows={groups}
      columns={[
        {
          head: words.columns.error,
          cell: (group) => (
            <a class="kind" href={addressOf(group)}>
              {group.kind_of_error || '–'}
            </a>
          ),
        },
        handlerColumn(),
        {
          head: words.columns.failed,
          as: 'number',
          cell: (group) => (
            <>
              <a class={group.dead > 0 ? 'bad' : ''} href={addressOf(group)}>
                {format.number(group.dead)}
                {group.failing > 0 &&
                  ` + ${words.groups.failing(format.number(group.failing, isCapped(group)))}`}
              </a>
              {group.older.length > 0 && <div class="soft">{words.groups.overtaken(group.older.length)}</div>}
            </>
          ),
        },
        { head: words.groups.first, cell: ({ first_at }) => <Time iso={first_at} as="relative" /> },
        {
          head: words.groups.last,
          cell: (group) => (
            <>
              <Time iso={group.last_at} as="relative" />{' '}
              {group.goesOn && <State tone="warn" word={words.groups.goesOn} />}
              {group.job !== undefined && (
                <div class="soft">
                  {words.groups.triedBy} <a href={`/jobs/${group.job}`}>{group.job}</a>
                </div>
              )}
            </>
          ),
        },
        {
          head: words.columns.subjects,
          as: 'number',
          cell: (group) =>
            group.dead + group.failing === 1 ? (
              <SubjectLink subject={group.sample.subject} />
            ) : (
              <CountLink count={group.subjects} href={addressOf(group, '/events')} />
            ),
        },
        may(page, 'operate') && {
          head: words.columns.action,
          cell: (group) => (
            <span class="links">
              {group.goesOn && <a href={pauseFormAddress(group.handler)}>{words.pauses.pause}</a>}
              {group.dead > group.older.length ? (
                <>
                  <a href={planAddress('retry', conditionsOf(group))}>{words.groups.retry}</a>
                  <a href={planAddress('discard', conditionsOf(group))}>{words.groups.discard}</a>
                </>
              ) : (
                <DiscardOvertaken ids={group.older} />
              )}
            </span>
          ),
        },
      ]}
    />
  );
};

/** Whether more are failing than the store counts. */
export const isCapped = ({ failing }: Pick<FailureGroup, 'failing'>): boolean =>
  failing >= MAX_FAILING_COUNTED;

/** Ids of failed deliveries that no retry runs, by handler and error: it has handled or runs a newer event. */
type OvertakenFailures = ReadonlyMap<string, readonly string[]>;

const keyOf = ({ handler, error }: Pick<FailureGroup, 'handler' | 'error'>): string => `${handler} ${error}`;

/** Finds the overtaken among failed deliveries. */
export async function findOvertaken(
  {
    store,
    registry,
  }: { readonly store: Pick<Plans, 'overtaken'>; readonly registry: Pick<Registry, 'newestOnly'> },
  failed: readonly DeliveryRecord[],
): Promise<OvertakenFailures> {
  const among = { handlers: registry.newestOnly, limit: failed.length };
  const found = await store.overtaken({ ids: failed.map(({ id }) => id), status: 'dead' }, among);
  const ids = new Set(found.map(({ id }) => id));
  const older = failed.filter(({ id }) => ids.has(id)).toReversed();
  const groups = Map.groupBy(older, ({ handler, lastError }) =>
    keyOf({ handler, error: fingerprintOf(errorKind(lastError ?? '')) }),
  );
  return new Map([...groups].map(([group, all]) => [group, all.map(({ id }) => id)]));
}

/** The way out for deliveries that no retry runs, the oldest first: a button where it is said what is primary. */
export const DiscardOvertaken: FC<{ readonly ids: readonly string[]; readonly isPrimary?: boolean }> = ({
  ids,
  isPrimary,
}) => {
  const page = usePage();
  if (ids.length === 0 || !may(page, 'operate')) return null;
  const named = ids.slice(0, MAX_NAMED);
  return (
    <a
      class={isPrimary === undefined ? '' : isPrimary ? 'button primary' : 'button'}
      href={planAddress('discard', { ids: named })}
    >
      {page.words.groups.discardOvertaken(named.length)}
    </a>
  );
};

/** Whether a job was for a group: by its handler and error, not for chosen deliveries or other parts of it. */
function takesIn(selection: JobSelection, { handler, error }: FailureGroup): boolean {
  if (!('deliveries' in selection)) return false;
  const { deliveries: of } = selection;
  const isPart = [of.ids, of.eventId, of.subject, of.company].some((given) => given !== undefined);
  return !isPart && (of.handler ?? handler) === handler && (of.error ?? error) === error;
}

/** A problem, its newest webhooks, and how many of those that were tried are valid now. */
export interface HeldGroup extends ProblemGroupView {
  readonly tried: number;
  readonly passing: number;
  readonly held: readonly HeldWebhook[];
}

/** The kind that a problem is of, or that its webhooks seem to be of. */
const KindOfGroup: FC<{ readonly group: HeldGroup }> = ({ group: { kind, held } }) => {
  const [first = null, ...more] = new Set(held.map((each) => each.kind));
  return <KindOf kind={kind ?? first} isGuess={kind === null} more={more.length} />;
};

/** Held entries by problem, with a way to the entries, and to a plan for each problem where there are several. */
export const ProblemGroups: FC<{
  readonly groups: readonly HeldGroup[];
  /** Whether the page has the actions of its only problem above the table. */
  readonly isOnly: boolean;
}> = ({ groups, isOnly }) => {
  const page = usePage();
  const { words } = page;
  return (
    <Table
      rows={groups}
      columns={[
        {
          head: words.columns.problem,
          cell: ({ problem, message }) => (
            <a class="kind" href={problemAddress(problem)}>
              <Quoted text={message} />
            </a>
          ),
        },
        { head: words.columns.field, as: 'code', cell: ({ path }) => path || '–' },
        { head: words.columns.kind, as: 'code', cell: (group) => <KindOfGroup group={group} /> },
        {
          head: words.columns.webhooks,
          as: 'number',
          cell: ({ problem, entries, held }) => {
            const later = held.filter(({ isAcceptedLater }) => isAcceptedLater).length;
            return (
              <>
                <CountLink count={entries} href={problemAddress(problem)} />
                {later > 0 && <div class="soft">{words.quarantine.acceptedLater(later, held.length)}</div>}
              </>
            );
          },
        },
        {
          head: words.columns.subjects,
          as: 'number',
          cell: ({ problem, subjects, held }) => {
            const named = new Set(held.flatMap(({ subject }) => subject ?? []));
            const [only] = named;
            if (named.size === 1 && subjects <= 1) return <SubjectLink subject={only ?? null} />;
            const count = Math.max(subjects, named.size);
            return count === 0 ? '–' : <CountLink count={count} href={problemAddress(problem)} />;
          },
        },
        {
          head: words.quarantine.seen,
          cell: ({ entries, repeats, first_at, last_at }) => (
            <Seen times={entries + repeats} firstAt={first_at} lastAt={last_at} />
          ),
        },
        {
          head: words.groups.passes,
          cell: (group) => {
            const { passing, tried, entries } = group;
            const word = words.groups.passesOf(passing, tried, entries);
            return tried === 0 ? '–' : <State tone={passing > 0 ? 'ok' : 'off'} word={word} />;
          },
        },
        may(page, 'operate') &&
          !isOnly && {
            head: words.columns.action,
            cell: (group) => {
              const { problem, passing, tried } = group;
              const address = problemAddress(problem);
              return (
                <span class="links">
                  {isUnreadable(group.message) ? (
                    <a href={openAddress(address, 'report')}>{words.groups.report}</a>
                  ) : (
                    groups.length > 1 &&
                    (passing > 0 || tried === 0) && (
                      <a href={planAddress('release', { problem })}>{words.groups.release}</a>
                    )
                  )}
                  <a href={openAddress(address, 'discard')}>{words.groups.discard}</a>
                </span>
              );
            },
          },
      ]}
    />
  );
};
