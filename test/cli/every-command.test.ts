/** What holds for every command: the exit code for a name of nothing, and that `--json` prints JSON alone. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { allCommands } from './all-commands.ts';
import { cliEnvironment, violation } from './cli-environment.ts';

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

/** One dead delivery, d1 of event 1, a state of a machine, a held entry, q1, and a person. */
async function seeded() {
  const cli = cliEnvironment(handlers);
  await cli.seed([violation(1), login, person, '{']);
  await cli.dispatch();
  return cli;
}

test('a command exits with 3 for a handler or machine that does not exist', async () => {
  const others: Readonly<Record<string, readonly string[]>> = {
    'deliveries discard': ['--reason', 'old'],
    'handlers pause': ['--reason', 'old'],
    'machines show': ['company-login:1'],
    replay: ['--dry-run'],
  };
  const cli = await seeded();
  const found = [];
  for (const { name, flags, operands } of await allCommands()) {
    const flag = flags.find((each) => each === '--handler' || each === '--machine');
    const isOperand = operands[0] === 'handler' || operands[0] === 'machine';
    if (flag === undefined && !isOperand) continue;
    const args = [
      ...name.split(' '),
      ...(flag === undefined ? [] : [flag]),
      'lgoin',
      ...(others[name] ?? []),
    ];
    const { code, out, err } = await cli.run(...args);
    expect([code, out, err], args.join(' ')).toEqual([3, '', expect.stringMatching(/lgoin/) as string]);
    found.push(name);
  }
  expect(found).toContain('handlers pause');
  expect(found.length).toBeGreaterThan(9);
});

/** A receiver that accepts everything, for `send`. */
async function receiver(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(202).end('{"status":"accepted"}'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/webhooks`;
}

/** Commands that end at Ctrl-C. */
const endless: readonly string[] = ['events tail', 'watch'];

test('with --json, a command prints JSON objects to standard output and nothing else', async () => {
  const cli = await seeded();
  const yes = ['--yes'];
  const why = ['--reason', 'request 7'];
  // In this order: one finds what another has left.
  const runs: readonly (readonly [name: string, args?: readonly string[], code?: number])[] = [
    ['init', ['project']],
    ['send', ['charge.created', '--url', await receiver()]],
    ['events list'],
    ['events show', ['1']],
    ['events curl', ['1']],
    ['events tail'],
    ['events import', ['-']],
    ['deliveries list'],
    ['deliveries show', ['d1']],
    ['failures'],
    ['quarantine list'],
    ['quarantine show', ['q1']],
    ['quarantine problems'],
    ['quarantine release'],
    ['subjects list'],
    ['subjects show', ['company-login:1']],
    ['machines list'],
    ['machines show', ['login-attempt', 'company-login:1']],
    ['machines rebuild', ['login-attempt']],
    ['handlers list'],
    ['handlers pause', ['failing', ...why]],
    ['handlers pauses'],
    ['handlers resume', ['failing']],
    ['stats'],
    ['replay', ['--id', '2', ...yes]],
    ['replay list'],
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
    ['store copy', ['--to', `${cli.folder}/moved.db`]],
    ['store compact'],
    ['restore', ['copy.db', ...yes]],
    ['provider keys list'],
    ['provider keys revoke', [await keyOf(cli)]],
    ['provider endpoints list'],
    ['provider endpoints remove', ['http://localhost:1/webhooks']],
  ];
  for (const [name, args = [], expected = 0] of runs) {
    const { terminal, ended } = cli.begin([...name.split(' '), ...args, '--json'], { input: '' });
    // Until it listens for an interrupt.
    const timer = endless.includes(name) ? setInterval(() => terminal.interrupt(), 10) : undefined;
    const { code, out, err } = await ended;
    clearInterval(timer);
    expect([name, code, err]).toEqual([name, expected, err]);
    const lines = out.split('\n').slice(0, -1);
    for (const line of lines) expect(JSON.parse(line), `${name}: ${line}`).toBeTypeOf('object');
    expect(out === '' || out.endsWith('\n'), name).toBe(true);
  }
  const withJson = (await allCommands()).filter(({ flags }) => flags.includes('--json'));
  const run = new Set(runs.map(([name]) => name));
  expect(withJson.map(({ name }) => name).filter((name) => !run.has(name))).toEqual([]);
});

/** Creates an organization with an endpoint, and returns its key. */
async function keyOf({ run }: Awaited<ReturnType<typeof seeded>>): Promise<string> {
  const { out } = await run('provider', 'keys', 'create', 'Serra Azul');
  await run('provider', 'endpoints', 'add', 'http://localhost:1/webhooks');
  return out.trim();
}
