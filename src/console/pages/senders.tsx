/** The page of the senders: what came, what was rejected, and what the provider's records differ in. */
import type { FC } from 'hono/jsx';
import { isNoAddress, rejectedBecause } from '../../attention/rejections.ts';
import { HOUR_MS } from '../../kernel/time/durations.ts';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { repairKind } from '../../reconcile/repair-selection.ts';
import { differingSubjects, type MonitoringState, type RecordedLook } from '../../store/monitoring.ts';
import { instantText } from '../../view/instant-text.ts';
import { CountLink, SubjectLink } from '../components/event-cells.tsx';
import { Listed } from '../components/facts.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { may, usePage } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { mistypedPaths } from '../problems/held-problems.ts';
import { rejectionReport } from '../sender-report.ts';
import { SenderReport } from './quarantine/forms.tsx';

/** Hours of rejections that are listed. */
const HOURS = 24;
/** Kinds of sources that are listed: senders may invent a thousand. */
const MAX_ARRIVALS = 100;

/** Adds the page of the senders. */
export function addSendersPage(app: ConsoleApp, { store, pageOf }: PagesDeps): void {
  app.get('/senders', async (c) => {
    const page = await pageOf(c);
    const { words } = page;
    const { rejections, looks, received } = await store.monitoring();
    return c.html(
      <Frame page={page} current="senders" title={words.frame.names.senders}>
        <h1>{words.frame.names.senders}</h1>
        <Rejections rejections={rejections} received={received} />
        <Looks looks={looks} />
        <Arrivals received={received} />
      </Frame>,
    );
  });
}

/** What the provider's records and the newest events differ in, by family. */
const Looks: FC<Pick<MonitoringState, 'looks'>> = ({ looks }) => {
  const { words: all, format } = usePage();
  const words = all.reconcile;
  return (
    <>
      <Listed
        {...{ id: 'provider', title: words.title, none: words.nothing, lead: words.lead, rows: looks }}
        columns={[
          { head: words.family, as: 'code', cell: ({ family, source }) => words.of(family, source) },
          { head: words.at, cell: ({ at }) => <Time iso={instantText(at)} /> },
          { head: words.equal, as: 'number', cell: ({ equal }) => format.number(equal) },
          {
            head: words.differ,
            as: 'number',
            cell: (look) => <CountLink count={differingSubjects(look)} href={`#${idOf(look)}`} isBad />,
          },
        ]}
      />
      {looks
        .filter((look) => differingSubjects(look) > 0)
        .map((look) => (
          <Differences look={look} />
        ))}
    </>
  );
};

const idOf = ({ source, family }: RecordedLook): string => `${source}-${family}`;

const Differences: FC<{ readonly look: RecordedLook }> = ({ look }) => {
  const page = usePage();
  const { reconcile: words, columns } = page.words;
  const { family, source, differences } = look;
  const repairable = differences.flatMap(({ id, outcome }) =>
    repairKind(family, outcome) === undefined ? [] : [`${family}:${id}`],
  );
  const more = differingSubjects(look) - differences.length;
  return (
    <>
      <h3 id={idOf(look)}>{words.of(family, source)}</h3>
      {differences.length > 0 && (
        <Table
          rows={differences}
          columns={[
            {
              head: columns.subject,
              as: 'code',
              cell: ({ id, outcome }) =>
                // A subject that was missed has no page.
                outcome === 'missed' ? `${family}:${id}` : <SubjectLink subject={`${family}:${id}`} />,
            },
            { head: words.outcome, cell: ({ outcome }) => words.outcomes[outcome] ?? outcome },
            { head: words.fields, as: 'code', cell: ({ fields }) => fields.join(', ') || '–' },
            { head: columns.since, cell: ({ since }) => <Time iso={instantText(since)} /> },
            {
              head: words.quarantined,
              as: 'code',
              cell: ({ quarantined: entry }) =>
                entry === null ? '–' : <a href={`/quarantine/${entry}`}>{entry}</a>,
            },
          ]}
        />
      )}
      {may(page, 'operate') && repairable.length > 0 && (
        <p class="actions">
          <a class="button" href={planAddress('repair', { source, subjects: repairable })}>
            {words.repair}
          </a>
        </p>
      )}
      {more > 0 && <p class="soft">{words.more(more)}</p>}
    </>
  );
};

/** Those of the last 24 hours. */
export const rejectionsOfADay = (all: MonitoringState['rejections'], now: number) =>
  all.filter(({ hour }) => hour > Math.floor(now / HOUR_MS) - HOURS);

/** Webhooks that failed verification, of an attacker or with a secret that differs, and those to no address. */
const Rejections: FC<Pick<MonitoringState, 'rejections' | 'received'>> = ({ rejections, received }) => {
  const { words, format, now } = usePage();
  const { watch } = words;
  const rows = rejectionsOfADay(rejections, now).toSorted(
    (one, other) => other.hour - one.hour || (one.source < other.source ? -1 : 1),
  );
  const paths = new Set(mistypedPaths(rejections, now).map(({ path }) => path));
  const told = rows.filter((row) => !isNoAddress(row.lastReason) || paths.has(row.source));
  const sources = new Set(received.map(({ source }) => source));
  return (
    <>
      <Listed
        {...{ id: 'rejections', title: watch.rejections, none: watch.noRejections, rows }}
        lead={watch.rejectionsLead}
        columns={[
          { head: watch.hour, cell: ({ hour }) => <Time iso={instantText(hour * HOUR_MS)} /> },
          { head: words.watch.place, as: 'code', cell: ({ source }) => source },
          { head: watch.rejected, as: 'number', cell: (row) => format.number(row.rejections) },
          { head: watch.lastRejected, cell: (row) => rejectedBecause(row, watch.because) },
        ]}
      />
      {told.length > 0 && <SenderReport write={(language) => rejectionReport(language, told, sources)} />}
    </>
  );
};

/** When each kind of each source came last: what is silent stands first. */
const Arrivals: FC<Pick<MonitoringState, 'received'>> = ({ received }) => {
  const { words } = usePage();
  const { watch } = words;
  const address = ({ source, kind }: { readonly source: string; readonly kind: string }): string =>
    `/events?${new URLSearchParams({ source, kind }).toString()}`;
  return (
    <Listed
      {...{ id: 'arrivals', title: watch.arrivals, none: watch.noArrivals, lead: watch.arrivalsLead }}
      rows={received
        .toSorted((one, other) => one.lastReceivedAt - other.lastReceivedAt)
        .slice(0, MAX_ARRIVALS)}
      columns={[
        { head: words.columns.source, as: 'code', cell: ({ source }) => source },
        { head: words.columns.kind, as: 'code', cell: ({ kind }) => kind || '…' },
        {
          head: words.frame.names.events,
          as: 'number',
          cell: (row) => <CountLink count={row.events} href={address(row)} />,
        },
        {
          head: words.overview.last,
          cell: ({ lastReceivedAt }) => <Time iso={instantText(lastReceivedAt)} as="relative" />,
        },
      ]}
    />
  );
};
