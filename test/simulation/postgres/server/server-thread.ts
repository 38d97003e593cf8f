/**
 * The thread that talks to PostgreSQL. The world waits for each answer, so that the order of all statements is the
 * world's, and nothing of it depends on how fast the server is.
 */
import { workerData, type MessagePort } from 'node:worker_threads';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Answer, Ended, Failure, Request, Result, Statement } from './messages.ts';

interface Session {
  readonly client: pg.Client;
  readonly pid: number;
  /** The connection whose session it is; 0 when it is free. */
  connection: number;
  isBusy: boolean;
  notices: Failure[];
}

const { url, port, flag } = workerData as {
  readonly url: string;
  readonly port: MessagePort;
  readonly flag: Int32Array;
};

/** Milliseconds after which a statement that has not ended may wait for a lock. */
const FAST_MS = 4;

const sessions = new Map<number, Session>();
const free: Session[] = [];
let ended: Ended[] = [];
let opened = 0;
/** Called when a statement ends. */
let wake: () => void = () => undefined;

const asText = { getTypeParser: () => (value: string) => value } as unknown as pg.CustomTypesConfig;
const admin = new pg.Client({ connectionString: url, application_name: 'simulation' });
const ready = admin.connect();

async function connect(): Promise<Session> {
  const client = new pg.Client({ connectionString: url, types: asText });
  client.on('error', () => undefined);
  await client.connect();
  const { processID } = client as pg.Client & { readonly processID: number | null };
  const session: Session = { client, pid: Number(processID), connection: 0, isBusy: false, notices: [] };
  client.on('notice', ({ code, message }) => session.notices.push({ code, message: String(message) }));
  return session;
}

async function open(): Promise<Answer['opened']> {
  const session = free.shift() ?? (await connect());
  opened += 1;
  session.connection = opened;
  sessions.set(opened, session);
  return { connection: opened, pid: session.pid };
}

function sessionOf(connection: number): Session {
  const session = sessions.get(connection);
  if (session === undefined) throw new Error(`there is no connection ${String(connection)}`);
  return session;
}

function send(connection: number, { text, values, name }: Statement): void {
  const session = sessionOf(connection);
  session.isBusy = true;
  session.notices = [];
  const end = (result: Result | null, failure: Failure | null): void => {
    session.isBusy = false;
    if (sessions.get(connection) === session)
      ended.push({ connection, result, failure, notices: session.notices });
    wake();
  };
  const query = { text, values: [...values], rowMode: 'array' as const, ...(name !== undefined && { name }) };
  (session.client.query(query) as Promise<pg.QueryArrayResult<(string | null)[]>>).then(
    (all) => {
      // Several statements in one text have several results.
      const results = Array.isArray(all) ? (all as unknown as (typeof all)[]) : [all];
      const last = results.at(-1) ?? all;
      const { command, rowCount, fields, rows } = last;
      const names = fields.map((field) => field.name);
      const types = fields.map(({ dataTypeID }) => dataTypeID);
      end({ command, rowCount, names, types, rows }, null);
    },
    (error: unknown) => {
      const { code, message } = error as Error & { code?: string };
      end(null, { code, message });
    },
  );
}

/** Waits until every statement has ended or waits for a lock that another connection of the world has. */
async function settle(): Promise<void> {
  for (;;) {
    const busy = () => [...sessions.values()].filter(({ isBusy }) => isBusy);
    if (busy().length === 0) return;
    await Promise.race([new Promise<void>((resolve) => (wake = resolve)), pause(FAST_MS)]);
    const pids = busy().map(({ pid }) => pid);
    if (pids.length === 0) return;
    if ((await waiting(pids)) && (await waiting(pids)) && busy().length === pids.length) return;
  }
}

async function waiting(pids: readonly number[]): Promise<boolean> {
  const { rows } = await admin.query<{ all: boolean }>(
    'select bool_and(cardinality(pg_blocking_pids(pid)) > 0) as all from unnest($1::integer[]) as pid',
    [[...pids]],
  );
  return rows[0]?.all === true;
}

/** As at the end of a connection. Prepared statements stay: their names say what they are. */
const reset = `rollback; close all; reset all; unlisten *; select pg_advisory_unlock_all(); discard temp; discard sequences`;

async function drop(connection: number): Promise<void> {
  const session = sessionOf(connection);
  sessions.delete(connection);
  session.connection = 0;
  if (session.isBusy) {
    await admin.query('select pg_terminate_backend($1)', [session.pid]);
    await until(async () => {
      const { rowCount } = await admin.query('select from pg_stat_activity where pid = $1', [session.pid]);
      return rowCount === 0;
    });
    return;
  }
  try {
    await session.client.query(reset);
    free.push(session);
  } catch {
    await session.client.end().catch(() => undefined);
  }
}

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await pause(1);
}

async function answer(request: Request): Promise<Answer> {
  await ready;
  let rows: Answer['rows'] = [];
  let connected: Answer['opened'] = null;
  if (request.do === 'open') connected = await open();
  if (request.do === 'send') send(request.connection, request.statement);
  if (request.do === 'drop') await drop(request.connection);
  if (request.do === 'cancel') {
    const { pid } = sessionOf(request.connection);
    await admin.query('select pg_cancel_backend($1)', [pid]);
    await until(() => Promise.resolve(!sessionOf(request.connection).isBusy));
  }
  if (request.do === 'ask') ({ rows } = await admin.query(request.text, [...request.values]));
  await settle();
  const all = { opened: connected, ended, rows, error: null };
  ended = [];
  return all;
}

port.on('message', (request: Request) => {
  answer(request)
    .catch((error: unknown): Answer => {
      const said = error instanceof Error ? String(error.stack) : String(error);
      return { opened: null, ended: [], rows: [], error: said };
    })
    .then((all) => {
      port.postMessage(all);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    })
    .catch(() => undefined);
});
