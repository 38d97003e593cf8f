/** No command writes a control character of a stored event: a terminal may show what a pipe or a file got. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cliEnvironment, company, violation } from './kit/cli-environment.ts';

/** Characters that JSON may hold unescaped: DEL, C1, bidirectional, zero-width, line separators, tags. */
const RAW = '\u007f\u0085\u009b31m\u061c\u200e\u202e\u2067\u200b\u00ad\ufeff\u2028\u2029\u{e0041}';
/** The same with control characters that JSON may not hold, for bodies that are not JSON. */
const HOSTILE = `\u0000\u0007\u0008\u001b[2J\u001b]0;title\u0007\r\t${RAW}`;
/** Kinds may not hold control characters, so this one holds the other unsafe characters. */
const KIND = 'odd.\u061c\u202e\u2067\u200b\u2028\ufeff';

/** Every unsafe character but the line feed. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const handlers = {
  failing: `export default defineHandler({ name: 'failing', on: '*', retry: { attempts: 1, baseMs: 1, maxMs: 1 },
    handle(event) { throw new Error('said ' + event.data.name); } });`,
  machine: `import { defineMachine } from 'portaria';
    export default defineMachine({ name: 'odd', on: 'company.*', initial: { name: '' },
      evolve: (_state, event) => ({ name: event.data.name }),
      anomalies: ({ after }) => ['odd ' + after.name] });`,
};

type Cli = ReturnType<typeof cliEnvironment>;

async function cliWithHostileEvents(): Promise<Cli> {
  const cli = cliEnvironment(handlers);
  await cli.seed([
    company(1, '2026-11-01T00:00:00Z', HOSTILE),
    { type: KIND, data: { id: RAW, [RAW]: HOSTILE } },
    violation(1),
  ]);
  await cli.seed([{ type: 'company.updated', data: { id: RAW, [HOSTILE]: HOSTILE } }, `{${HOSTILE}`], {
    source: RAW,
    messageId: RAW,
  });
  await cli.dispatch();
  return cli;
}

const commands: readonly (readonly string[])[] = [
  ['events', 'list'],
  ['events', 'show', '1', '--unmask'],
  ['events', 'show', '2', '--unmask'],
  ['deliveries', 'list'],
  ['deliveries', 'show', 'd3'],
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
  ['stats'],
  ['handlers', 'list'],
];

/** A row without its signed plan, of which each has an id of its own. */
const withoutPlan = ({ plan: _, ...row }: Readonly<Record<string, unknown>>) => row;

test('every command escapes stored text, as a table and as JSON', async () => {
  const cli = await cliWithHostileEvents();
  const escaped: string[] = [];

  for (const command of commands) {
    const name = command.join(' ');
    const shown = await cli.begin(command, { interactive: true, columns: 80 }).ended;
    expect(shown, name).toMatchObject({ code: 0, out: expect.stringMatching(/./u) as string });
    const json = await cli.begin([...command, '--json'], { interactive: true }).ended;
    expect(
      [shown.out, shown.err, json.out, json.err].filter((text) => UNSAFE.test(text)),
      name,
    ).toEqual([]);
    const piped = await cli.run(...command, '--json');
    expect(piped.out, name).not.toMatch(UNSAFE);
    expect(json.rows.map(withoutPlan), name).toEqual(piped.rows.map(withoutPlan));
    if (piped.out.includes(String.raw`\u061c`)) escaped.push(name);
  }

  // These commands did print unsafe text, so the checks above had something to find.
  expect(escaped).toEqual([
    'events list',
    'events show 1 --unmask',
    'events show 2 --unmask',
    'deliveries list',
    'deliveries show d3',
    'quarantine list',
    'quarantine show q1 --unmask',
    'quarantine show q2 --unmask',
    'subjects show company:1 --unmask',
    'machines show odd company:1 --unmask',
    'stats',
  ]);
});

test('export escapes stored text', async () => {
  const cli = await cliWithHostileEvents();

  const piped = await cli.run('events', 'export');
  const shown = await cli.begin(['events', 'export'], { interactive: true }).ended;

  expect(`${piped.out}${shown.out}`).not.toMatch(UNSAFE);
  expect(shown.rows).toEqual(piped.rows);
});

test('tail escapes stored text', async () => {
  const cli = await cliWithHostileEvents();
  for (const flags of [[], ['--json']]) {
    const args = ['events', 'tail', '-n', '5', ...flags];
    const { terminal, ended } = cli.begin(args, { interactive: true });
    await terminal.printed('traffic-violation.created');
    terminal.interrupt();
    expect((await ended).out).not.toMatch(UNSAFE);
  }
});

test('import escapes the text of a rejected line', async () => {
  const cli = cliEnvironment();
  const input = `{"type":${JSON.stringify(KIND)},"data":${JSON.stringify(RAW)}}\n{"type":"${RAW}"}\n${HOSTILE}\n`;
  const options = { interactive: true, input };
  for (const flags of [[], ['--json']]) {
    const { out, err } = await cli.begin(['events', 'import', '-', ...flags], options).ended;
    expect(`${out}${err}`).not.toMatch(UNSAFE);
  }
});

test('send escapes the response', async () => {
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
  const cli = cliEnvironment();
  for (const path of ['/json', '/text'])
    for (const flags of [[], ['--json']]) {
      const args = ['send', 'charge.created', '--url', `${url}${path}`, ...flags];
      const { code, out, err } = await cli.begin(args, { interactive: true }).ended;
      expect([code, `${out}${err}`]).toEqual([0, expect.not.stringMatching(UNSAFE)]);
    }
});

test('an error escapes the argument that it repeats', async () => {
  const cli = await cliWithHostileEvents();
  for (const args of [
    ['events', 'show', RAW],
    ['quarantine', 'show', RAW],
    ['subjects', 'show', `company:${RAW}`],
    [`--${RAW}`],
    [RAW],
  ]) {
    const { out, err } = await cli.begin(args, { interactive: true }).ended;
    expect(`${out}${err}`).not.toMatch(UNSAFE);
  }
});
