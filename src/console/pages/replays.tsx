import type { FC } from 'hono/jsx';
import { Empty } from '../components/list.tsx';
import { State } from '../components/state.tsx';
import { Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { Frame } from '../frame.tsx';
import { usePage, type Page } from '../page.ts';
import { listReplays } from '../../operate/list-replays.ts';
import type { ReplayView } from '../../view/replay-view.ts';

/** Replays of the page. */
const LIMIT = 50;

/** Adds the list of the newest replays with their progress. */
export function addReplaysPage(app: ConsoleApp, { store, pageOf }: PagesDeps): void {
  app.get('/replays', async (c) => {
    const page = await pageOf(c);
    return c.html(<ReplaysPage page={page} replays={await listReplays(store, LIMIT)} />);
  });
}

const ReplaysPage: FC<{ readonly page: Page; readonly replays: readonly ReplayView[] }> = ({
  page,
  replays,
}) => {
  const words = page.words.replays;
  return (
    <Frame page={page} current="replays" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {replays.length === 0 ? (
        <Empty>{words.none}</Empty>
      ) : (
        <Table
          rows={replays}
          columns={[
            { head: words.id, as: 'code', cell: ({ id }) => id },
            { head: words.created, cell: ({ created_at }) => <Time iso={created_at} /> },
            { head: words.target, as: 'code', cell: ({ target, handlers }) => target ?? handlers.join(', ') },
            {
              head: words.status,
              cell: ({ status }) => (
                <State tone={status === 'finished' ? 'ok' : 'warn'} word={words.statuses[status]} />
              ),
            },
            { head: words.progress, cell: (replay) => <Progress replay={replay} /> },
          ]}
        />
      )}
    </Frame>
  );
};

const Progress: FC<{ readonly replay: ReplayView }> = ({ replay }) => {
  const { words } = usePage();
  const { pending, running, succeeded, dead, skipped } = replay.progress;
  const done = succeeded + dead + skipped;
  return (
    <>
      {words.replays.progressOf(done, done + pending + running)}
      {dead > 0 && (
        <>
          {' '}
          <State tone="bad" word={`${String(dead)} ${words.delivery.dead}`} />
        </>
      )}
    </>
  );
};
