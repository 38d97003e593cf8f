/** The page of the process and its store. */
import type { FC } from 'hono/jsx';
import { CountLink } from '../components/event-cells.tsx';
import { Facts, Listed } from '../components/facts.tsx';
import type { Format } from '../../pages/language/format.ts';
import { State } from '../../pages/state.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { checkWords } from '../language/checks.ts';
import { usePage } from '../page.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import { say } from '../../kernel/text/sentences.ts';
import { checkFindings, type StoreCheck } from '../../store/checks.ts';
import { processView, type ProcessView } from '../../view/process-view.ts';
import { statisticsView, type StatisticsView } from '../../view/statistics-view.ts';

/** Adds the page of the process and its store. */
export function addSystemPage(app: ConsoleApp, { store, version, pageOf, observation }: PagesDeps): void {
  app.get('/system', async (c) => {
    const page = await pageOf(c);
    const { words, format } = page;
    const [checks, found, monitoring, processes] = await Promise.all([
      // Reading the whole file would stop this thread for seconds; `doctor` does it.
      store.checks({ integrity: false }),
      store.statistics(),
      store.monitoring(),
      store.runningProcesses(),
    ]);
    const { bytes, events, subjects, outages, ...statistics } = statisticsView(
      found,
      monitoring,
      observation().problems,
    );
    return c.html(
      <Frame page={page} current="system" title={words.frame.names.system}>
        <h1>{words.frame.names.system}</h1>
        <p class="lead">{words.system.lead(version)}</p>
        <h2>{words.system.checks}</h2>
        <Checks checks={checks} />
        <h2>{words.system.store}</h2>
        <Facts
          facts={[
            [words.system.storeId, <span class="mono">{statistics.store_id}</span>],
            [words.system.location, <span class="mono">{store.location}</span>],
            [words.system.size, format.bytes(bytes)],
            [words.frame.names.events, <CountLink count={events} href="/events" />],
            [words.columns.subjects, format.number(subjects)],
            [
              words.frame.names.quarantine,
              <CountLink count={statistics.quarantine_held} href="/quarantine" />,
            ],
          ]}
        />
        <Processes processes={processes.map(processView)} />
        <Outages outages={outages} />
      </Frame>,
    );
  });
}

const Checks: FC<{ readonly checks: readonly StoreCheck[] }> = ({ checks }) => {
  const { format, language } = usePage();
  const spoken = checkWords[language];
  return (
    <table>
      <tbody>
        {checks.map(({ name, finding, ...check }) => (
          <tr>
            <th scope="row">{spoken?.names[name] ?? name}</th>
            <td>
              <CheckState {...check} />
            </td>
            <td>{inBytes(say(spoken?.findings ?? checkFindings, finding), format)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
};

const CheckState: FC<Pick<StoreCheck, 'ok' | 'warning'>> = ({ ok, warning }) => {
  const { system } = usePage().words;
  if (!ok) return <State tone="bad" word={system.failed} />;
  return warning ? <State tone="warn" word={system.warning} /> : <State tone="ok" word={system.ok} />;
};

/** Checks count mebibytes, as settings of databases do; a page has one unit. */
function inBytes(text: string, format: Format): string {
  return text.replaceAll(/\b(\d+) MiB\b/gu, (_, mib: string) => format.bytes(Number(mib) * 2 ** 20));
}

/** Who runs the deliveries of this store. One alone has no heartbeat and no role: it has the file. */
const Processes: FC<{ readonly processes: readonly ProcessView[] }> = ({ processes }) => {
  const { words, format } = usePage();
  const { system, columns } = words;
  const shares = processes.some(({ seen_at }) => seen_at !== null);
  return (
    <Listed
      {...{ id: 'processes', title: system.processes, none: system.noProcesses, rows: processes }}
      {...(shares && { lead: system.processesLead })}
      columns={[
        { head: system.process, as: 'code', cell: ({ host, pid }) => system.on(pid, printableLine(host)) },
        {
          head: columns.version,
          as: 'code',
          cell: ({ version }) => version !== null && printableLine(version),
        },
        { head: columns.since, cell: (row) => <Time iso={row.started_at} /> },
        shares && { head: system.seen, cell: (row) => <Time iso={row.seen_at} /> },
        shares && { head: system.role, cell: (row) => row.leads && system.leads },
        { head: system.inFlight, as: 'number', cell: (row) => format.number(row.in_flight) },
      ]}
    />
  );
};

/** When webhooks could not be stored, or a process stood still. */
const Outages: FC<Pick<StatisticsView, 'outages'>> = ({ outages }) => {
  const { words, format } = usePage();
  const { watch, columns } = words;
  return (
    <Listed
      {...{ id: 'outages', title: watch.outages, none: watch.noOutages, rows: outages }}
      columns={[
        { head: watch.outage, cell: ({ cause, handler }) => watch.outageOf(cause, handler) },
        { head: columns.from, cell: (row) => <Time iso={row.began_at} /> },
        {
          head: watch.to,
          cell: ({ ended_at: at }) => (at === null ? watch.goesOn : <Time iso={at} />),
        },
        {
          head: watch.refused,
          as: 'number',
          cell: ({ refused }) => (refused === null ? '–' : format.number(refused)),
        },
      ]}
    />
  );
};
