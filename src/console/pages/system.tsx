/** The page of the process and its store. */
import { CountLink } from '../components/event-cells.tsx';
import { Facts, Listed } from '../components/facts.tsx';
import type { Format } from '../../pages/language/format.ts';
import { State } from '../../pages/state.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { checkWords } from '../language/checks.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import { say } from '../../kernel/text/sentences.ts';
import { checkFindings } from '../../store/checks.ts';
import { processView } from '../../view/process-view.ts';
import { statisticsView } from '../../view/statistics-view.ts';

/** Adds the page of the process and its store. */
export function addSystemPage(app: ConsoleApp, { store, version, pageOf, observation }: PagesDeps): void {
  app.get('/system', async (c) => {
    const page = await pageOf(c);
    const { words, format, language } = page;
    const { system, columns, watch, frame } = words;
    const spoken = checkWords[language];
    const [checks, found, monitoring, running] = await Promise.all([
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
    const processes = running.map(processView);
    // One alone has no heartbeat and no role: it has the file.
    const shares = processes.some(({ seen_at }) => seen_at !== null);
    return c.html(
      <Frame page={page} current="system" title={frame.names.system}>
        <h1>{frame.names.system}</h1>
        <p class="lead">{system.lead(version)}</p>
        <h2>{system.checks}</h2>
        <table>
          <tbody>
            {checks.map(({ name, finding, ok, warning }) => (
              <tr>
                <th scope="row">{spoken?.names[name] ?? name}</th>
                <td>
                  {!ok && <State tone="bad" word={system.failed} />}
                  {ok && <State tone={warning ? 'warn' : 'ok'} word={warning ? system.warning : system.ok} />}
                </td>
                <td>{inBytes(say(spoken?.findings ?? checkFindings, finding), format)}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <h2>{system.store}</h2>
        <Facts
          facts={[
            [system.storeId, <span class="mono">{statistics.store_id}</span>],
            [system.location, <span class="mono">{store.location}</span>],
            [system.size, format.bytes(bytes)],
            [frame.names.events, <CountLink count={events} href="/events" />],
            [columns.subjects, format.number(subjects)],
            [frame.names.quarantine, <CountLink count={statistics.quarantine_held} href="/quarantine" />],
          ]}
        />
        <Listed
          {...{ id: 'processes', title: system.processes, none: system.noProcesses, rows: processes }}
          {...(shares && { lead: system.processesLead })}
          columns={[
            { head: system.process, as: 'code', cell: (row) => system.on(row.pid, printableLine(row.host)) },
            {
              head: columns.version,
              as: 'code',
              cell: (row) => row.version !== null && printableLine(row.version),
            },
            { head: columns.since, cell: (row) => <Time iso={row.started_at} /> },
            shares && { head: system.seen, cell: (row) => <Time iso={row.seen_at} /> },
            shares && { head: system.role, cell: (row) => row.leads && system.leads },
            { head: system.inFlight, as: 'number', cell: (row) => format.number(row.in_flight) },
          ]}
        />
        <Listed
          {...{ id: 'outages', title: watch.outages, none: watch.noOutages, rows: outages }}
          columns={[
            { head: watch.outage, cell: ({ cause, handler }) => watch.outageOf(cause, handler) },
            { head: columns.from, cell: (row) => <Time iso={row.began_at} /> },
            { head: watch.to, cell: ({ ended_at: at }) => (at === null ? watch.goesOn : <Time iso={at} />) },
            {
              head: watch.refused,
              as: 'number',
              cell: ({ refused }) => (refused === null ? '–' : format.number(refused)),
            },
          ]}
        />
      </Frame>,
    );
  });
}

/** Checks count mebibytes, as settings of databases do; a page has one unit. */
function inBytes(text: string, format: Format): string {
  return text.replaceAll(/\b(\d+) MiB\b/gu, (_, mib: string) => format.bytes(Number(mib) * 2 ** 20));
}
