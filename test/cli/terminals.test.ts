/** What strangers wrote, through every command that shows it: nothing that a terminal obeys reaches one. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cliWorld, company, violation } from './cli-world.ts';

/** C1, DEL, bidirectional, zero-width, line separators, tags; what JSON may hold as it is. */
const RAW = '\u007f\u0085\u009b31m\u061c\u200e\u202e\u2067\u200b\u00ad\ufeff\u2028\u2029\u{e0041}';
/** And those that a JSON text cannot hold, in bytes that are none. */
const HOSTILE = `\u0000\u0007\u0008\u001b[2J\u001b]0;title\u0007\r\t${RAW}`;
/** Of a kind, control characters are refused. */
const KIND = 'odd.\u061c\u202e\u2067\u200b\u2028\ufeff';

/** Anything but text that shows as what it is, and its line feeds. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const handlers = {
  failing: `export default defineHandler({ name: 'failing', on: 'company.*', retry: { attempts: 1, baseMs: 1, maxMs: 1 },
    handle(event) { throw new Error('said ' + event.data.name); } });`,
  machine: `import { defineMachine } from 'portaria';
    export default defineMachine({ name: 'odd', on: 'company.*', initial: { name: '' },
      evolve: (_state, event) => ({ name: event.data.name }),
      anomalies: ({ after }) => ['odd ' + after.name] });`,
};

type World = ReturnType<typeof cliWorld>;

async function hostileWorld(): Promise<World> {
  const world = cliWorld(handlers);
  await world.seed([
    company(1, '2026-11-01T00:00:00Z', HOSTILE),
    { type: KIND, data: { id: RAW, [RAW]: HOSTILE } },
    violation(1),
  ]);
  await world.seed([{ type: 'company.updated', data: { id: RAW, [HOSTILE]: HOSTILE } }, `{${HOSTILE}`], {
    source: RAW,
    messageId: RAW,
  });
  await world.dispatch();
  return world;
}

const commands: readonly (readonly string[])[] = [
  ['events', 'list'],
  ['events', 'show', '1', '--unmask'],
  ['events', 'show', '2', '--unmask'],
  ['deliveries', 'list'],
  ['deliveries', 'show', 'd1'],
  ['deliveries', 'retry', '--status', 'dead', '--dry-run'],
  ['quarantine', 'list'],
  ['quarantine', 'show', 'q1', '--unmask'],
  ['quarantine', 'show', 'q2', '--unmask'],
  ['quarantine', 'release', '--dry-run'],
  ['subjects', 'show', 'company:1', '--unmask'],
  ['machines', 'list'],
  ['machines', 'show', 'odd', 'company:1', '--unmask'],
  ['machines', 'rebuild', '--dry-run'],
  ['replay', '--dry-run'],
  ['replay', 'list'],
  ['stats'],
  ['handlers', 'list'],
];

test('stored text is shown escaped on a terminal by every command, as a table and as JSON', async () => {
  const world = await hostileWorld();
  const raw: string[] = [];

  for (const command of commands) {
    const name = command.join(' ');
    const shown = await world.begin(command, { interactive: true, columns: 80 }).ended;
    expect(shown, name).toMatchObject({ code: 0, out: expect.stringMatching(/./u) as string });
    const json = await world.begin([...command, '--json'], { interactive: true }).ended;
    expect(
      [shown.out, shown.err, json.out, json.err].filter((text) => UNSAFE.test(text)),
      name,
    ).toEqual([]);
    // Where nobody watches, it is the same JSON as it is.
    const piped = await world.run(...command, '--json');
    expect(json.rows, name).toEqual(piped.rows);
    if (UNSAFE.test(piped.out)) raw.push(name);
  }

  // The test would show nothing of commands that came upon nothing hostile.
  expect(raw).toEqual([
    'events list',
    'events show 1 --unmask',
    'events show 2 --unmask',
    'deliveries list',
    'deliveries show d1',
    'quarantine list',
    'quarantine show q1 --unmask',
    'quarantine show q2 --unmask',
    'subjects show company:1 --unmask',
    'machines show odd company:1 --unmask',
    'stats',
  ]);
});

test('stored text is exported as it is, but to a terminal', async () => {
  const world = await hostileWorld();

  const piped = await world.run('events', 'export');
  const shown = await world.begin(['events', 'export'], { interactive: true }).ended;

  expect(piped.out).toContain('\u061c');
  expect(shown.out).not.toMatch(UNSAFE);
  expect(shown.rows).toEqual(piped.rows);
});

test('stored text is escaped while it is followed', async () => {
  const world = await hostileWorld();
  for (const flags of [[], ['--json']]) {
    const args = ['events', 'tail', '-n', '5', ...flags];
    const { terminal, ended } = world.begin(args, { interactive: true });
    await terminal.said('traffic-violation.created');
    terminal.interrupt();
    expect((await ended).out).not.toMatch(UNSAFE);
  }
});

test('an import tells of what is wrong without repeating it raw', async () => {
  const world = cliWorld();
  const input = `{"type":${JSON.stringify(KIND)},"data":${JSON.stringify(RAW)}}\n{"type":"${RAW}"}\n${HOSTILE}\n`;
  const options = { interactive: true, input };
  for (const flags of [[], ['--json']]) {
    const { out, err } = await world.begin(['events', 'import', '-', ...flags], options).ended;
    expect(`${out}${err}`).not.toMatch(UNSAFE);
  }
});

test('the answer to send is shown escaped', async () => {
  const server = createServer((request, response) => {
    request.resume();
    response.end(request.url === '/json' ? JSON.stringify({ message: HOSTILE }) : HOSTILE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const world = cliWorld();
  for (const path of ['/json', '/text'])
    for (const flags of [[], ['--json']]) {
      const args = ['send', 'charge.created', '--url', `${url}${path}`, ...flags];
      const { code, out, err } = await world.begin(args, { interactive: true }).ended;
      expect([code, `${out}${err}`]).toEqual([0, expect.not.stringMatching(UNSAFE)]);
    }
});

test('a mistake in the command line is repeated escaped', async () => {
  const world = await hostileWorld();
  for (const args of [
    ['events', 'show', RAW],
    ['quarantine', 'show', RAW],
    ['subjects', 'show', `company:${RAW}`],
    [`--${RAW}`],
    [RAW],
  ]) {
    const { out, err } = await world.begin(args, { interactive: true }).ended;
    expect(`${out}${err}`).not.toMatch(UNSAFE);
  }
});
