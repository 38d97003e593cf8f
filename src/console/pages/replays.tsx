/** The page of replays. */
import type { FC } from 'hono/jsx';
import { ComposeReplay } from '../components/compose-replay.tsx';
import { Empty } from '../../pages/list.tsx';
import { State } from '../../pages/state.tsx';
import { Table } from '../../pages/table.tsx';
import { Time } from '../../pages/time.tsx';
import type { ConsoleApp, PagesDeps } from '../console-deps.ts';
import { addForm } from '../forms.ts';
import { FormToken } from '../../pages/document.tsx';
import { Frame } from '../frame.tsx';
import { may, usePage, type Page } from '../page.ts';
import { resumeReplay } from '../../jobs/start-plan.ts';
import { listReplays } from '../../operate/show/list-replays.ts';
import type { ReplayView } from '../../view/replay-view.ts';

/** Replays of the page. */
const LIMIT = 50;

/** Adds the list of the newest replays with their progress, the form for another, and the resume of one. */
export function addReplaysPage(app: ConsoleApp, deps: PagesDeps): void {
  const { store, registry, pageOf } = deps;
  const handlers = registry.definitions.map(({ name }) => name);
  app.get('/replays', async (c) => {
    const page = await pageOf(c);
    const replays = await listReplays(store, LIMIT);
    return c.html(<ReplaysPage page={page} replays={replays} handlers={handlers} />);
  });

  addForm(app, '/replays/:id/resume', { action: 'resumeReplay' }, async (c) => {
    const { id } = await resumeReplay(deps, c.req.param('id'), c.get('visitor').name);
    return c.redirect(`/jobs/${id}`, 303);
  });
}

interface ReplaysProps {
  readonly page: Page;
  readonly replays: readonly ReplayView[];
  readonly handlers: readonly string[];
}

const ReplaysPage: FC<ReplaysProps> = ({ page, replays, handlers }) => {
  const words = page.words.replays;
  return (
    <Frame page={page} current="replays" title={words.title}>
      <h1>{words.title}</h1>
      <p class="lead">{words.lead}</p>
      {may(page, 'operate') && handlers.length > 0 && (
        <details class="compose">
          <summary>{page.words.compose.title}</summary>
          <p class="soft">{page.words.compose.lead}</p>
          <ComposeReplay handlers={handlers} />
        </details>
      )}
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
            ...(may(page, 'operate')
              ? [{ head: page.words.compose.act, cell: (replay: ReplayView) => <Resume replay={replay} /> }]
              : []),
          ]}
        />
      )}
    </Frame>
  );
};

/** A replay that stopped on its way goes on as a job. Those to a URL run in the command line only. */
const Resume: FC<{ readonly replay: ReplayView }> = ({ replay: { id, status, target } }) => {
  const page = usePage();
  if (status !== 'unfinished' || target !== null) return null;
  return (
    <form method="post" action={`/replays/${id}/resume`}>
      <FormToken page={page} />
      <button>{page.words.compose.resume}</button>
    </form>
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
