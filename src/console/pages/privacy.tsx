/** The page of personal data: where it is kept, and for how long. */
import type { FC } from 'hono/jsx';
import { Fields } from '../components/erasure-plan.tsx';
import { CountLink, eventsAddress } from '../components/event-cells.tsx';
import { Listed } from '../components/facts.tsx';
import { HoldForm, Holds } from '../components/holds.tsx';
import { ErasureState } from '../components/ledger-entry.tsx';
import { Notice } from '../../pages/list.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import { PersonForm } from './erasures.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { keptBy, type KeptBy } from '../language/privacy.ts';
import { usePage, type Page } from '../page.ts';
import { kindsNamed } from '../../operate/contract/kind-detail.ts';
import { DAY_MS, HOUR_MS } from '../../kernel/time/durations.ts';
import type { Receipt } from '../../privacy/receipt.ts';
import { shownHold } from '../../view/privacy/erasure-run-view.ts';
import { ledgerView } from '../../view/privacy/erasure-view.ts';
import { statisticsView } from '../../view/statistics-view.ts';

const settings: Readonly<Record<KeptBy, string>> = {
  events: 'PORTARIA_KEEP_EVENTS',
  quarantine: 'PORTARIA_KEEP_QUARANTINE',
  deliveries: 'PORTARIA_KEEP_DELIVERIES',
  audit: 'PORTARIA_KEEP_AUDIT',
};

/** Adds the page of personal data: where it is kept, by table and by kind, with holds and erasures. */
export function addPrivacyPage(app: ConsoleApp, { store, keep, pageOf }: PagesDeps): void {
  app.get('/privacy', async (c) => {
    const page = await pageOf(c);
    const [statistics, monitoring, holds, stored, holder] = await Promise.all([
      store.statistics(),
      store.monitoring(),
      store.holds(),
      store.erasures(),
      store.erasing(),
    ]);
    const { words: all, format } = page;
    const { privacy: words, columns, frame, erasures: erasureWords } = all;
    const erasures = stored
      .map((one) => ({
        ...ledgerView(one, holder),
        held: one.receipt === null ? 0 : (JSON.parse(one.receipt) as Receipt).held_rows,
      }))
      .toReversed();
    return c.html(
      <Frame page={page} current="privacy" title={frame.names.privacy}>
        <h1>{frame.names.privacy}</h1>
        <p class="lead">{words.lead}</p>
        <h2>{erasureWords.find}</h2>
        {c.req.query('searched') !== undefined && <Notice tone="warn">{erasureWords.searchHere}</Notice>}
        <PersonForm />
        <h2 id="erasures">{words.erasures}</h2>
        {erasures.some(({ state }) => state === 'unfinished') && <p>{erasureWords.unfinishedWhy}</p>}
        <Listed
          {...{ none: words.noErasures, rows: erasures }}
          columns={[
            {
              head: words.erasure,
              as: 'code',
              cell: ({ id }) => <a href={`/privacy/erasures/${id}`}>{id}</a>,
            },
            { head: words.started, cell: ({ started_at }) => <Time iso={started_at} /> },
            {
              head: columns.state,
              cell: (row) => (
                <>
                  <ErasureState entry={row} held={row.held} /> {row.running_in}
                </>
              ),
            },
            { head: words.identifiers, as: 'number', cell: (row) => format.number(row.identifiers) },
            { head: columns.reason, cell: ({ reason }) => reason },
            { head: columns.by, cell: ({ requested_by }) => frame.visitor(requested_by) },
          ]}
        />
        <h2 id="holds">{words.holds}</h2>
        {c.req.query('held') === 'unseen' && <Notice tone="bad">{erasureWords.unseen}</Notice>}
        {c.req.query('held') === 'ended' && <Notice tone="ok">{erasureWords.ended}</Notice>}
        <Holds holds={holds.map(shownHold)} />
        <HoldForm />
        <h2>{words.places}</h2>
        <Table
          rows={words.rows.map(([what, shown], at) => ({ what, shown, kept: keptBy[at] ?? null }))}
          columns={[
            { head: columns.what, cell: ({ what }) => what },
            { head: words.kept, cell: ({ kept }) => keptText(page, keep, kept) },
            { head: words.shown, cell: ({ shown }) => shown },
          ]}
        />
        <p class="soft">
          {words.unmasking} <a href="/audit?unmasked=true">{words.unmasked}</a>. {words.elsewhere}
        </p>
        <details>
          <summary>{words.kinds}</summary>
          <Listed
            {...{ none: words.noEvents, rows: statisticsView(statistics, monitoring).by_kind }}
            columns={[
              { head: columns.kind, as: 'code', cell: ({ kind }) => kind },
              {
                head: frame.names.events,
                as: 'number',
                cell: ({ kind, events }) => <CountLink count={events} href={eventsAddress(kind)} />,
              },
              { head: words.fields, cell: ({ kind }) => <PersonalFields kind={kind} /> },
            ]}
          />
        </details>
      </Frame>,
    );
  });
}

/** How long content is kept, and the setting that says so. */
function keptText({ words: all, format }: Page, keep: PagesDeps['keep'], kept: KeptBy | null): string {
  const words = all.privacy;
  if (kept === null) return words.forever;
  const ms = keep[kept];
  if (ms === null) return words.keptForever(settings[kept]);
  const period = ms % DAY_MS === 0 ? `${format.number(ms / DAY_MS)} d` : `${format.number(ms / HOUR_MS)} h`;
  return `${period} (${settings[kept]})`;
}

/** The personal fields of a kind, also of those of its name from several senders. */
const PersonalFields: FC<{ readonly kind: string }> = ({ kind }) => {
  const { words: all, contract } = usePage();
  const words = all.privacy;
  const known = kindsNamed(contract, kind);
  if (known.length === 0) return <>{words.wholly}</>;
  if (known.some(({ schema }) => schema === null)) return <>{words.wholeLibrary}</>;
  const paths = [...new Set(known.flatMap(({ personalPaths }) => personalPaths))];
  if (paths.length === 0) return <span class="soft">{words.noFields}</span>;
  return <Fields names={paths} />;
};
