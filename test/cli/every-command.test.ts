/** What holds for every command: the exit code for a name of nothing, and that `--json` prints JSON alone. */
import { expect, test } from 'vitest';
import { allCommands } from './kit/all-commands.ts';
import { commandRuns, runAsJson, seeded } from './kit/command-runs.ts';

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

test('with --json, a command prints JSON objects to standard output and nothing else', async () => {
  const cli = await seeded();
  const runs = await commandRuns(cli);
  for (const run of runs) {
    const [name] = run;
    const { code, out, err } = await runAsJson(cli, run);
    expect([name, code, err]).toEqual([name, 0, err]);
    const lines = out.split('\n').slice(0, -1);
    for (const line of lines) expect(JSON.parse(line), `${name}: ${line}`).toBeTypeOf('object');
    expect(out === '' || out.endsWith('\n'), name).toBe(true);
  }
  const withJson = (await allCommands()).filter(({ flags }) => flags.includes('--json'));
  const names = new Set(runs.map(([name]) => name));
  // They need PostgreSQL and the provider: test/postgres/copy/copy-command.test.ts, test/cli/reconcile.test.ts.
  expect(withJson.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([
    'reconcile',
    'store copy',
  ]);
});
