/** The page of `/control` that lists logins. */
import type { FC } from 'hono/jsx';
import { Choice, Empty, Filters, Pager } from '../../../src/pages/list.tsx';
import { State, type Tone } from '../../../src/pages/state.tsx';
import { Table } from '../../../src/pages/table.tsx';
import { Time } from '../../../src/pages/time.tsx';
import type { Login } from '../../login/login.ts';
import type { ControlDeps } from '../control.ts';
import { Act, ControlFrame, paths, type ControlView } from './control-frame.tsx';
import { countWaitingLogins, readLogins, type LoginRow } from './control-rows.ts';
import { cursorOf, pageOf, statusOf } from './page-of-rows.ts';

const states: Readonly<Record<Login['status'], { readonly tone: Tone; readonly word: string }>> = {
  processing: { tone: 'warn', word: 'running' },
  success: { tone: 'ok', word: 'succeeded' },
  fail: { tone: 'bad', word: 'failed' },
  incomplete: { tone: 'off', word: 'never tried' },
  voided: { tone: 'off', word: 'voided' },
};

const statuses = Object.keys(states) as Login['status'][];

/** Logins with the portal: the step at which each waits, and the answers of the portal. */
export async function loginsPage(view: ControlView, { provider }: ControlDeps) {
  const { url } = view.page;
  const [found, waiting] = await Promise.all([
    readLogins(provider, { before: cursorOf(url), status: statusOf(url, statuses) }),
    countWaitingLogins(provider),
  ]);
  const { rows, next } = pageOf(found);
  return (
    <ControlFrame view={view} current="logins" title="Logins">
      <h1>{waitingText(waiting)}</h1>
      <p class="lead">
        Logins of companies and drivers with the government portal. A running attempt waits at its step until
        the scenario, or you, answer.
      </p>
      <Filters action={paths.logins}>
        <Choice
          name="status"
          label="Attempt"
          options={statuses.map((each) => [each, states[each].word] as const)}
        />
      </Filters>
      {rows.length === 0 ? <Empty>No login matches.</Empty> : <Logins view={view} rows={rows} />}
      <Pager next={next} />
    </ControlFrame>
  );
}

function waitingText(count: number): string {
  if (count === 0) return 'No login waits';
  return `${String(count)} ${count === 1 ? 'login waits' : 'logins wait'} for an answer`;
}

const Logins: FC<{ readonly view: ControlView; readonly rows: readonly LoginRow[] }> = ({ view, rows }) => {
  return (
    <Table
      rows={rows}
      columns={[
        {
          head: 'Of',
          cell: (row) => (
            <>
              {row.name ?? ''} <span class="soft">{aboutOf(row)}</span>
            </>
          ),
        },
        {
          head: 'Attempt',
          cell: ({ status }) => <State {...states[status]} />,
        },
        { head: 'Step', as: 'code', cell: ({ step }) => step ?? '–' },
        {
          head: 'Session',
          cell: ({ connected }) => (
            <State tone={connected === 1 ? 'ok' : 'off'} word={connected === 1 ? 'open' : 'none'} />
          ),
        },
        { head: 'By itself', cell: ({ next }) => <Time iso={next} as="relative" /> },
        { head: 'By hand', cell: (row) => <Answers view={view} row={row} /> },
      ]}
    />
  );
};

/** What the portal can do with a login in its present state. */
const Answers: FC<{ readonly view: ControlView; readonly row: LoginRow }> = ({ view, row }) => {
  const { kind, owner, status, connected, next } = row;
  const about = aboutOf(row);
  const login = `/${kind === 'company' ? 'companies' : 'users'}/${String(owner)}/login`;
  const runs = status === 'processing';
  return (
    <div class="acts">
      {!runs && <Act view={view} to={`${login}/start`} label="Start" about={about} />}
      {connected === 0 && <Act view={view} to={`${login}/succeed`} label="Succeed" about={about} />}
      {runs && <Act view={view} to={`${login}/fail`} label="Fail" about={about} />}
      {connected === 1 && <Act view={view} to={`${login}/disconnect`} label="End session" about={about} />}
      {next !== null && (
        <Act view={view} to={`/steps/${kind}-login/${String(owner)}/run`} label="Next step" about={about} />
      )}
    </div>
  );
};

function aboutOf({ kind, owner }: LoginRow): string {
  return `${kind === 'company' ? 'company' : 'driver'} ${String(owner)}`;
}
