import type { PassThrough } from 'node:stream';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { cliEnvironment, violation } from '../kit/cli-environment.ts';

/** Six contents of thirty violations, one round after the other: nothing is ambiguous in this order. */
const lines = Array.from({ length: 180 }, (_, at) =>
  JSON.stringify(violation(at % 30, `status ${String(Math.floor(at / 30))}`)),
);

const input = lines.join('\n');

/** What is stored, oldest first. */
async function stored(cli: ReturnType<typeof cliEnvironment>) {
  const { rows } = await cli.run('events', 'export');
  return rows.map(({ body }) => Buffer.from(body as string, 'base64').toString());
}

test('Ctrl-C ends an import between two commits, and --from-line goes on', async () => {
  const cli = cliEnvironment();
  const { terminal, ended } = cli.begin(['events', 'import', '-', '--json'], { input });
  void terminal.printed('"line":1,').then(() => {
    terminal.interrupt();
  });
  const { code, rows, err } = await ended;
  const through = rows.length;
  expect(through).toBeLessThan(lines.length);
  expect(code).toBe(130);
  expect(err).toContain(`all lines through ${String(through)} are committed`);
  expect(await stored(cli)).toEqual(lines.slice(0, through));

  const next = String(through + 1);
  expect(err).toContain(`--from-line ${next}`);
  const rest = await cli.begin(['events', 'import', '-', '--from-line', next], { input }).ended;
  const left = String(lines.length - through);
  expect(rest).toMatchObject({
    code: 0,
    err: `${left} lines read: ${left} accepted.\nNo handler got a delivery.\n`,
  });
  expect(await stored(cli)).toEqual(lines);
});

test('an import that fails within a batch goes on without storing anything again', async () => {
  const cli = cliEnvironment();
  await cli.seed([]);
  const database = new Database(cli.database);
  database.exec(
    "create trigger full after insert on events when new.id > 140 begin select raise(abort, 'no room'); end",
  );
  const failed = await cli.begin(['events', 'import', '-'], { input }).ended;
  expect(failed.code).toBe(1);
  // Of the batch that failed, a part is stored all the same.
  expect(await stored(cli)).toEqual(lines.slice(0, 140));
  expect(failed.err).toContain('all lines through 120 are committed');

  database.exec('drop trigger full');
  database.close();
  const rest = await cli.begin(['events', 'import', '-', '--from-line', '121'], { input }).ended;
  expect(rest.err).toBe('60 lines read: 20 duplicate, 40 accepted.\nNo handler got a delivery.\n');
  expect(await stored(cli)).toEqual(lines);
});

test('--from-line past the end is a mistake that names the number of lines, and stores nothing', async () => {
  const cli = cliEnvironment();
  const { code, err } = await cli.begin(['events', 'import', '-', '--from-line', '181'], { input }).ended;
  expect(code).toBe(2);
  expect(err).toContain('--from-line 181 is past the end: the input has 180 lines');
  expect(err).not.toContain('Stopped');
  expect(await cli.begin(['events', 'import', '-'], { input: '' }).ended).toMatchObject({ code: 0 });
});

test('Ctrl-C ends an import that waits for its input', async () => {
  const cli = cliEnvironment();
  const { terminal, ended } = cli.begin(['events', 'import', '-'], { interactive: true });
  const read = new Promise((resolve) => (terminal.input as PassThrough).once('resume', resolve));
  (terminal.input as PassThrough).write(`${lines[0] ?? ''}\n`);
  await read;
  terminal.interrupt();
  expect(await ended).toMatchObject({
    code: 130,
    err: expect.stringContaining('no line is known to be committed') as string,
  });
});
