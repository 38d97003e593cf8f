import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import pg from 'pg';
import {
  startPostgresServer,
  type PostgresServer,
  type ServerOptions,
} from '../../../../scripts/postgres/server.mjs';
import { eventually } from '../../../support/eventually.ts';
import { startServe, type RunningPortaria } from '../../../support/running-portaria.ts';
import { createWorkspace, type Workspace } from '../../../support/workspace.ts';
import { noteProcess, writeBooking } from '../booking.ts';
import { countWork, expectWholeWork, type Work } from '../count-work.ts';
import { createSenders, type Senders } from '../senders/senders.ts';
import { allHandled } from '../statistics.ts';
import { charges } from '../senders/webhooks.ts';

/** Subjects whose charges are sent, each in order, by default. */
const CHARGES = 24;

/** Milliseconds between two webhooks of a subject: a test that waits must not build a backlog that takes minutes. */
const BETWEEN_MS = 1_000;

/** Several receivers on one database, under load through what behaves like a load balancer. */
export interface Receivers {
  readonly workspace: Workspace;
  readonly senders: Senders;
  readonly running: readonly RunningPortaria[];
  /** @throws Error if none runs at this place */
  at(place: number): RunningPortaria;
  /** Ends the receiver at this place. Senders go on to the others. */
  end(place: number, signal: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Starts a receiver at this place, with other settings, or of another version, if given. */
  start(place: number, settings?: Settings, program?: string): Promise<RunningPortaria>;
  /** Stops the process until the others have taken over from it. */
  freeze(place: number): Promise<void>;
  /** Waits until so many more webhooks are acknowledged. */
  acknowledgedMore(webhooks: number, timeoutMs?: number): Promise<void>;
  /** Stops sending, waits until all is handled, and ends the receivers. Fails if anything went wrong. */
  finish(what: string, further?: Readonly<Record<string, number | string>>): Promise<Work>;
}

type Settings = Readonly<Record<string, string>>;

interface ReceiversOptions {
  /** The built program of another version. */
  readonly program?: string;
  /** Called once the receivers run: all webhooks go to the address that it returns, of a load balancer. */
  readonly through?: () => Promise<string>;
  /** The number of subjects whose charges are sent. */
  readonly subjects?: number;
  /** Files of handlers beside `booking.ts`, by name. */
  readonly handlers?: Readonly<Record<string, string>>;
}

/** Starts a server for the test. Its databases survive crashes. */
export async function postgresOfTest(
  options: ServerOptions & { readonly folder?: string } = {},
): Promise<PostgresServer> {
  const { settings = [], ...rest } = options;
  const server = await startPostgresServer({ settings: ['max_connections=200', ...settings], ...rest });
  onTestFinished(() => server.stop());
  return server;
}

/** Creates an empty database. Returns its address. */
export async function createDatabase(
  { url }: Pick<PostgresServer, 'url'>,
  name = 'portaria',
): Promise<string> {
  await query(url, `create database ${name}`);
  return url.replace(/postgres$/u, name);
}

/** Runs a statement on a connection of its own. Returns its rows. */
export async function query(
  url: string,
  text: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  // The server may end meanwhile: then the statement fails.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * Starts receivers and sends to them.
 *
 * @param database its address for the test; receivers may have another one in their settings
 */
export async function startReceivers(
  database: string,
  settings: readonly Settings[],
  { program, through, subjects = CHARGES, handlers = {} }: ReceiversOptions = {},
): Promise<Receivers> {
  const workspace = createWorkspace();
  writeBooking(workspace);
  for (const [name, source] of Object.entries(handlers)) workspace.writeHandler(name, source);
  const places: (RunningPortaria | undefined)[] = [];
  const settingsOf = [...settings];
  const running = () => places.filter((one) => one !== undefined);

  async function start(
    place: number,
    changed = settingsOf[place],
    version?: string,
  ): Promise<RunningPortaria> {
    settingsOf[place] = changed ?? {};
    const own = { PORTARIA_DATABASE: database, PORTARIA_HANDLERS: workspace.handlers, ...settingsOf[place] };
    const started = startServe(own, [], version);
    try {
      return (places[place] = await started.ready());
    } catch (error) {
      // It may have begun to handle events.
      noteProcess(workspace, 'killed', started.pid);
      throw error;
    }
  }

  function at(place: number): RunningPortaria {
    const found = places[place];
    if (found === undefined) throw new Error(`no receiver at ${String(place)}`);
    return found;
  }

  for (const place of settings.keys()) await start(place, settings[place], program);
  const senders = createSenders(
    Array.from({ length: subjects }, (_, index) => charges(index + 1)),
    BETWEEN_MS,
  );
  const balancer = await through?.();
  let turn = 0;
  const sending = senders.sendThrough(() => {
    if (balancer !== undefined) return balancer;
    turn += 1;
    const open = running();
    return open[turn % open.length]?.url ?? '';
  });

  return {
    workspace,
    senders,
    get running() {
      return running();
    },
    at,
    async end(place, signal) {
      const ended = at(place);
      ended.kill(signal);
      await ended.ended;
      places[place] = undefined;
      noteProcess(workspace, 'killed', ended.pid);
    },
    start,
    async freeze(place) {
      const frozen = at(place);
      frozen.kill('SIGSTOP');
      await eventually('it has stopped', () => isStopped(frozen.pid));
      noteProcess(workspace, 'stopped', frozen.pid);
      // As the others do once they have missed its heartbeats for long.
      const [lease] = await query(
        database,
        `delete from leases where pid = ${String(frozen.pid)} returning holder`,
      );
      await eventually('the others have taken over', async () => {
        const left = await query(
          database,
          `select from deliveries where holder = ${String(lease?.['holder'])}`,
        );
        return left.length === 0;
      });
      frozen.kill('SIGCONT');
      await eventually('it knows', () => frozen.written().includes('lease.lost'));
      noteProcess(workspace, 'continued', frozen.pid);
    },
    async acknowledgedMore(webhooks, timeoutMs = 300_000) {
      const enough = senders.acknowledged.size + webhooks;
      await eventually('enough is acknowledged', () => senders.acknowledged.size >= enough, timeoutMs);
    },
    async finish(what, further = {}) {
      senders.stop();
      await sending;
      const [first] = running();
      if (first === undefined) throw new Error('no receiver');
      const began = performance.now();
      await allHandled(first, 600_000);
      const work = await countWork(workspace, senders, database);
      expectWholeWork(what, work, {
        'handled after the last webhook, ms': Math.round(performance.now() - began),
        ...further,
      });
      for (const each of running()) {
        each.kill('SIGTERM');
        expect(await each.ended).toMatchObject({ code: 0 });
      }
      return work;
    },
  };
}

/** Whether a process has stopped, which happens some time after the signal. Always true without /proc. */
function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return true;
  return /\) T /u.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
}
