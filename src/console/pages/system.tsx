import type { FC } from 'hono/jsx';
import { State } from '../components/state.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import type { Page } from '../page.ts';
import type { StoreCheck } from '../../store/store.ts';
import { statisticsView, type StatisticsView } from '../../view/statistics-view.ts';

/** Adds the page of the process and its store. */
export function addSystemPage(app: ConsoleApp, { store, version, pageOf }: PagesDeps): void {
  app.get('/system', async (c) => {
    const page = await pageOf(c);
    const [checks, statistics, monitoring] = await Promise.all([
      // Reading the whole file would stop this thread for seconds; `doctor` does it.
      store.checks({ integrity: false }),
      store.statistics(),
      store.monitoring(),
    ]);
    return c.html(
      <SystemPage
        page={page}
        version={version}
        location={store.location}
        checks={checks}
        statistics={statisticsView(statistics, monitoring)}
      />,
    );
  });
}

interface SystemProps {
  readonly page: Page;
  readonly version: string;
  readonly location: string;
  readonly checks: readonly StoreCheck[];
  readonly statistics: StatisticsView;
}

const SystemPage: FC<SystemProps> = ({ page, version, location, checks, statistics }) => {
  const { words, format } = page;
  const facts: readonly (readonly [string, string])[] = [
    [words.system.storeId, statistics.store_id],
    [words.system.location, location],
    [words.system.size, format.bytes(statistics.bytes)],
    [words.system.events, format.number(statistics.events)],
    [words.system.subjects, format.number(statistics.subjects)],
    [words.system.quarantine, format.number(statistics.quarantine_held)],
  ];
  return (
    <Frame page={page} current="system" title={words.system.title}>
      <h1>{words.system.title}</h1>
      <p class="lead">{words.system.lead(version)}</p>
      <h2>{words.system.checks}</h2>
      <table>
        <tbody>
          {checks.map(({ name, ok, detail }) => (
            <tr>
              <th scope="row">{name}</th>
              <td>
                <State tone={ok ? 'ok' : 'bad'} word={ok ? words.system.ok : words.system.failed} />
              </td>
              <td>{detail}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h2>{words.system.store}</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd class="mono">{value}</dd>
          </>
        ))}
      </dl>
    </Frame>
  );
};
