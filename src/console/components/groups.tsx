/** Groups of failed deliveries and of quarantined webhooks, as tables. */
import type { FC } from 'hono/jsx';
import { may, usePage } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import type { FailureGroupView, ProblemGroupView } from '../../view/failure-view.ts';
import { HandlerLink, SubjectLink } from './event-cells.tsx';
import type { JobRecord, Jobs, JobSelection } from '../../store/jobs.ts';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { Seen } from './entry-table.tsx';
import { Quoted } from './foreign-text.tsx';

/** Failed deliveries by handler and kind of error, with a way to their deliveries and to a plan for all of them. */
export const FailureGroups: FC<{
  readonly groups: readonly FailureGroupView[];
  /** Jobs that retried deliveries, the newest first. */
  readonly retries: readonly JobRecord[];
}> = ({ groups, retries }) => {
  const page = usePage();
  const { words, format } = page;
  // A link that lost the condition of the page would select more than its row counts.
  const company = page.url.searchParams.get('company') ?? '';
  const conditionsOf = ({ handler, error }: FailureGroupView) => ({
    ...{ handler, error },
    ...(company !== '' && { company }),
  });
  const addressOf = (group: FailureGroupView) =>
    `/failures?${new URLSearchParams(conditionsOf(group)).toString()}`;
  return (
    <Table
      rows={groups}
      columns={[
        {
          head: words.groups.kindOfError,
          cell: (group) => (
            <a class="kind" href={addressOf(group)}>
              {group.kind_of_error || '–'}
            </a>
          ),
        },
        { head: words.failures.handler, as: 'code', cell: ({ handler }) => <HandlerLink name={handler} /> },
        {
          head: words.groups.dead,
          as: 'number',
          cell: (group) => (
            <a class={group.dead > 0 ? 'bad' : ''} href={addressOf(group)}>
              {format.number(group.dead)}
              {group.failing > 0 && ` + ${words.groups.failing(group.failing)}`}
            </a>
          ),
        },
        { head: words.groups.first, cell: ({ first_at }) => <Time iso={first_at} as="relative" /> },
        {
          head: words.groups.last,
          cell: ({ last_at, failing }) => (
            <>
              <Time iso={last_at} as="relative" />{' '}
              {(failing > 0 || page.now - Date.parse(last_at) < RECENT_MS) && (
                <State tone="warn" word={words.groups.goesOn} />
              )}
            </>
          ),
        },
        {
          head: words.groups.subjects,
          as: 'number',
          cell: (group) =>
            group.dead + group.failing === 1 ? (
              <SubjectLink subject={group.sample.subject} />
            ) : (
              <a href={addressOf(group)}>{format.number(group.subjects)}</a>
            ),
        },
        {
          head: words.groups.triedBy,
          as: 'code',
          cell: (group) => {
            const job = retries.find(({ selection }) => takesIn(selection, group));
            return job === undefined ? '–' : <a href={`/jobs/${job.id}`}>{job.id}</a>;
          },
        },
        ...(may(page, 'operate')
          ? [
              {
                head: words.groups.act,
                cell: (group: FailureGroupView) =>
                  group.dead > 0 && (
                    <a href={planAddress('retry', conditionsOf(group))}>{words.groups.retry}</a>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
};

/** Jobs among which the last retry of a group is looked for. */
const MAX_JOBS = 50;

/** Reads the newest jobs that retried deliveries. */
export async function lastRetries(store: Pick<Jobs, 'jobs'>): Promise<readonly JobRecord[]> {
  return (await store.jobs({ limit: MAX_JOBS })).filter(({ action }) => action === 'retry');
}

/** Milliseconds for which a failure counts as going on. */
const RECENT_MS = 10 * 60_000;

/** Whether a job was for a group: by its handler and error, not for chosen deliveries or other parts of it. */
function takesIn(selection: JobSelection, { handler, error }: FailureGroupView): boolean {
  if (!('deliveries' in selection)) return false;
  const { deliveries: of } = selection;
  const isPart = [of.ids, of.eventId, of.subject, of.company].some((given) => given !== undefined);
  return !isPart && (of.handler ?? handler) === handler && (of.error ?? error) === error;
}

/** A problem, and how many of the newest entries that were tried are valid now. */
export interface TriedProblem extends ProblemGroupView {
  readonly tried: number;
  readonly passing: number;
}

/** Held entries by problem, with a way to the entries and to a plan for all of them. */
export const ProblemGroups: FC<{ readonly groups: readonly TriedProblem[] }> = ({ groups }) => {
  const page = usePage();
  const { words, format } = page;
  return (
    <Table
      rows={groups}
      columns={[
        {
          head: words.groups.problem,
          cell: ({ problem, message }) => (
            <a class="kind" href={`/quarantine?${new URLSearchParams({ problem }).toString()}`}>
              <Quoted text={message} />
            </a>
          ),
        },
        { head: words.groups.field, as: 'code', cell: ({ path }) => path || '–' },
        { head: words.events.kind, as: 'code', cell: ({ kind }) => kind ?? '–' },
        { head: words.groups.entries, as: 'number', cell: ({ entries }) => format.number(entries) },
        { head: words.groups.subjects, as: 'number', cell: ({ subjects }) => format.number(subjects) },
        {
          head: words.quarantine.seen,
          cell: ({ entries, repeats, last_at }) => <Seen times={entries + repeats} lastAt={last_at} />,
        },
        {
          head: words.groups.passes,
          cell: ({ passing, tried }) =>
            tried === 0 ? (
              '–'
            ) : (
              <State tone={passing > 0 ? 'ok' : 'off'} word={words.groups.passesOf(passing, tried)} />
            ),
        },
        {
          head: words.groups.sample,
          as: 'code',
          cell: ({ sample }) => <a href={`/quarantine/${sample.id}`}>{sample.id}</a>,
        },
        ...(may(page, 'operate')
          ? [
              {
                head: words.groups.act,
                cell: ({ problem, passing, tried }: TriedProblem) =>
                  (passing > 0 || tried === 0) && (
                    <a href={planAddress('release', { problem })}>{words.groups.release}</a>
                  ),
              },
            ]
          : []),
      ]}
    />
  );
};
