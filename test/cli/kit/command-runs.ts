/** A run of every command that prints JSON, on a store with something of everything. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.ts';
import { cliEnvironment, violation, type Run } from './cli-environment.ts';

const handlers = {
  failing: `export default defineHandler({ name: 'failing', on: 'traffic-violation.*', retry: { attempts: 1 },
    handle() { throw new Error('closed'); } });`,
  login: "export { default } from 'portaria/handlers/login-attempt';",
};

const CPF = '12345678909';

const login = {
  type: 'company.login.started',
  data: {
    ...{ id: 1, tax_id: '11222333000181', external_uid: 'matriz', uid: 'lg_1', service: 'gov_portal' },
    ...{ connected: false, step: null, attempt: 1, occurred_at: '2026-11-09T18:10:02.000Z' },
  },
};

const person = { type: 'traffic-violation.indication.created', data: { id: 1, tax_id: CPF, vars: {} } };

/**
 * One dead delivery, d1 of event 1, a state of a machine, a held entry, q1, and a person.
 *
 * @param address a database in PostgreSQL, in the place of a file
 */
export async function seeded(address?: string) {
  const cli = cliEnvironment(handlers, address);
  await cli.seed([violation(1), login, person, '{']);
  await cli.dispatch();
  return cli;
}

type CommandLine = Awaited<ReturnType<typeof seeded>>;

/** A command and its arguments. */
type CommandRun = readonly [name: string, args?: readonly string[]];

/** A receiver that accepts everything, for `send`. */
async function receiver(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(202).end('{"status":"accepted"}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
}

/** The file of a secret. */
function secretFile({ folder }: CommandLine): string {
  const file = join(folder, 'secret');
  writeFileSync(file, 'a secret');
  return file;
}

/** Prints JSON without `--json`. */
const EXPORT = 'events export';

/** Commands that end at Ctrl-C. */
const endless: readonly string[] = ['events tail', 'watch'];

/** Runs of all commands, in this order: one finds what another has left. */
export async function commandRuns(cli: CommandLine): Promise<readonly CommandRun[]> {
  const yes = ['--yes'];
  const why = ['--reason', 'request 7'];
  return [
    ['init', ['project']],
    ['send', ['charge.created', '--url', await receiver()]],
    ['events list'],
    ['events show', ['1']],
    ['events curl', ['1']],
    ['events tail'],
    [EXPORT],
    ['events import', ['-']],
    ['events recognize', yes],
    ['deliveries list'],
    ['deliveries show', ['d1']],
    ['failures'],
    ['quarantine list'],
    ['quarantine show', ['q1']],
    ['quarantine problems'],
    ['verify try', ['--event', '1', '--header', 'x-token: a secret', '--secret-file', secretFile(cli)]],
    ['quarantine release'],
    ['subjects list'],
    ['subjects show', ['company-login:1']],
    ['machines list'],
    ['machines show', ['login-attempt', 'company-login:1']],
    ['machines rebuild', ['login-attempt']],
    ['rehearse', ['--handlers', cli.handlersFolder, '--kind', 'company.*']],
    ['handlers list'],
    ['handlers pause', ['failing', ...why]],
    ['handlers pauses'],
    ['handlers resume', ['failing']],
    ['stats'],
    ['replay', ['--id', '2', ...yes]],
    ['deliveries retry', ['--status', 'dead', '--job', ...yes]],
    ['jobs list'],
    ['jobs show', ['j1']],
    ['jobs cancel', ['j1']],
    ['jobs resume', ['j1']],
    ['deliveries retry', ['d1']],
    ['deliveries discard', ['d1', ...why]],
    ['quarantine discard', ['q1', ...why, ...yes]],
    ['contract drift'],
    ['watch'],
    ['doctor'],
    ['events prune', ['--older', '90d', ...yes]],
    ['backup', ['copy.db']],
    ['privacy find', [CPF]],
    ['privacy hold add', ['user:77', ...why]],
    ['privacy hold list'],
    ['privacy hold remove', ['user:77']],
    ['privacy erase', [CPF, ...yes, ...why, '--receipt', 'receipt.json']],
    ['privacy receipts'],
    ['privacy verify', ['receipt.json']],
    ['privacy reapply'],
    ['audit list'],
    ['audit verify'],
    ['store compact'],
    ['store renew-id'],
    ['restore', ['copy.db', ...yes]],
    ['provider keys create', ['Outra']],
    ['provider seed', ['--companies', '1', '--violations', '2', '--organization', 'Norte', '--key']],
    ['provider keys list'],
    ['provider keys revoke', [await keyOf(cli)]],
    ['provider endpoints add', ['http://localhost:2/webhooks', '--organization', 'Serra Azul']],
    ['provider endpoints list'],
    ['provider endpoints remove', ['http://localhost:1/webhooks', '--organization', 'Serra Azul']],
  ];
}

/** Runs a command to its end, with `--json` where it has that. */
export async function runAsJson(cli: CommandLine, [name, args = []]: CommandRun): Promise<Run> {
  const json = name === EXPORT ? [] : ['--json'];
  // Two commands never draw the same store id, and a command draws the same one on both stores.
  const random = seededRandom(name.length);
  const { terminal, ended } = cli.begin([...name.split(' '), ...args, ...json], { input: '', random });
  // Until it listens for an interrupt.
  const timer = endless.includes(name) ? setInterval(() => terminal.interrupt(), 10) : undefined;
  try {
    return await ended;
  } finally {
    clearInterval(timer);
  }
}

/** Creates an organization with an endpoint, and returns its key. */
async function keyOf({ run }: CommandLine): Promise<string> {
  const { out } = await run('provider', 'keys', 'create', 'Serra Azul');
  await run('provider', 'endpoints', 'add', 'http://localhost:1/webhooks');
  return out.trim();
}
