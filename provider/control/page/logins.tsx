/** The page of `/control` that lists logins. */
import type { FC } from 'hono/jsx';
import { Choice, Empty, Filters, Pager } from '../../../src/pages/list.tsx';
import { State, type Tone } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import type { Login } from '../../login/read-login.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';
import { countWaitingLogins, readLogins, type LoginRow } from './control-rows.ts';
import { cursorOf, pageOf, statusOf } from './page-of-rows.ts';

const tones: Readonly<Record<Login['status'], Tone>> = {
  processing: 'warn',
  success: 'ok',
  fail: 'bad',
  incomplete: 'off',
  voided: 'off',
};

const statuses = Object.keys(tones) as Login['status'][];

/** Logins with the portal: the step at which each waits, and the answers of the portal. */
export async function loginsPage(view: ControlView, { provider }: ControlDeps) {
  const { logins: words } = view.words;
  const { url } = view.page;
  const [found, waiting] = await Promise.all([
    readLogins(provider, { before: cursorOf(url), status: statusOf(url, statuses) }),
    countWaitingLogins(provider),
  ]);
  const { rows, next } = pageOf(found);
  return (
    <ControlFrame view={view} current="logins" title={words.title}>
      <h1>{words.waiting(waiting)}</h1>
      <p class="lead">{words.lead}</p>
      <Filters action={paths.logins}>
        <Choice
          name="status"
          label={words.status}
          options={statuses.map((each) => [each, words.statuses[each]] as const)}
        />
      </Filters>
      {rows.length === 0 ? <Empty>{words.none}</Empty> : <Logins view={view} rows={rows} />}
      <Pager next={next} />
    </ControlFrame>
  );
}

const Logins: FC<{ readonly view: ControlView; readonly rows: readonly LoginRow[] }> = ({ view, rows }) => {
  const { logins: words, byHand } = view.words;
  return (
    <Table
      rows={rows}
      columns={[
        {
          head: words.owner,
          cell: (row) => (
            <>
              {row.name ?? ''} <span class="soft">{aboutOf(view, row)}</span>
            </>
          ),
        },
        {
          head: words.status,
          cell: ({ status }) => <State tone={tones[status]} word={words.statuses[status]} />,
        },
        { head: words.step, as: 'code', cell: ({ step }) => step ?? '–' },
        {
          head: words.session,
          cell: ({ connected }) => (
            <State
              tone={connected === 1 ? 'ok' : 'off'}
              word={connected === 1 ? words.connected : words.disconnected}
            />
          ),
        },
        { head: words.next, cell: ({ next }) => <Time iso={next} as="relative" /> },
        { head: byHand, cell: (row) => <Answers view={view} row={row} /> },
      ]}
    />
  );
};

/** What the portal can do with a login in its present state. */
const Answers: FC<{ readonly view: ControlView; readonly row: LoginRow }> = ({ view, row }) => {
  const { logins: words } = view.words;
  const { kind, owner, status, connected, next } = row;
  const about = aboutOf(view, row);
  const login = `/${kind === 'company' ? 'companies' : 'users'}/${String(owner)}/login`;
  const runs = status === 'processing';
  return (
    <div class="acts">
      {!runs && <Act view={view} to={`${login}/start`} label={words.start} about={about} />}
      {connected === 0 && <Act view={view} to={`${login}/succeed`} label={words.succeed} about={about} />}
      {runs && <Act view={view} to={`${login}/fail`} label={words.fail} about={about} />}
      {connected === 1 && (
        <Act view={view} to={`${login}/disconnect`} label={words.disconnect} about={about} />
      )}
      {next !== null && (
        <Act
          view={view}
          to={`/steps/${kind}-login/${String(owner)}/run`}
          label={words.stepNow}
          about={about}
        />
      )}
    </div>
  );
};

function aboutOf({ words }: ControlView, { kind, owner }: LoginRow): string {
  return `${words.logins.owners[kind]} ${String(owner)}`;
}
