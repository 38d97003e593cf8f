/** Command lines that are wrong, and those that only look so. */
import { describe, expect, test } from 'vitest';
import { cliEnvironment } from './kit/cli-environment.ts';

describe('a mistyped command line', () => {
  test.each([
    [['evnets', 'list'], "unknown command 'evnets'", 'events'],
    [['events', 'lst'], "unknown command 'lst'", 'list'],
    [['events', 'list', '--knd', 'x'], "unknown option '--knd'", '--kind'],
    [['deliveries', 'retry', '--dryrun'], "unknown option '--dryrun'", '--dry-run'],
    [['contract', 'drfit'], "too many arguments for 'contract'", 'contract drift'],
    [['subjects', 'lst'], "unknown command 'lst'", 'list'],
    [['replay', '--if-not-suceeded'], "unknown option '--if-not-suceeded'", '--if-not-succeeded'],
  ])('%j is an error that suggests the correct word', async (args, problem, suggestion) => {
    const { code, err, out } = await cliEnvironment().run(...args);
    expect(code).toBe(2);
    expect(err).toContain(problem);
    expect(err).toContain(`Did you mean ${suggestion}?`);
    expect(out).toBe('');
  });

  test.each([
    [
      ['events', 'list', '--status', 'failed'],
      'Allowed choices are pending, running, succeeded, dead, skipped',
    ],
    [['events', 'list', '--since', 'yesterday'], 'an age (15m, 2h, 3d)'],
    [['events', 'list', '--limit', '-1'], 'Write a whole number, or all'],
    [['events', 'list', '--subject', 'company'], 'family:id'],
    [['events', 'list', 'surplus'], 'too many arguments'],
    [['events', 'show'], "missing required argument 'id'"],
    [['replay', '--rate', '0'], 'above 0'],
    [['contract', '--format', 'asyncapi', '--kind', 'charge.created'], '--kind needs --format json-schema'],
  ])('%j says which values are valid', async (args, hint) => {
    const { code, err } = await cliEnvironment().run(...args);
    expect(code).toBe(2);
    expect(err).toContain(hint);
  });

  test.each([
    ['events list --status dead --status succeeded', '--status <status>'],
    ['events list --limit 5 --limit 5', '--limit <n>'],
    ['events import - --source=a --source=b', '--source <name>'],
    ['replay --handler a --to http://localhost:2 --to http://localhost:3', '--to <url>'],
    ['contract --format asyncapi --format json-schema', '--format <format>'],
    ['--database a.db stats --database b.db', '--database <database>'],
    ['send charge.created --url http://localhost:2 --url http://localhost:3', '--url <url>'],
  ])('%s is an error: one of the values would be ignored', async (line, flag) => {
    const { code, err, out } = await cliEnvironment().run(...line.split(' '));
    expect(code).toBe(2);
    expect(err).toBe(`error: option '${flag}' takes one value and was given twice\n`);
    expect(out).toBe('');
  });

  test.each([
    [['serve', '--port', '1'], 'PORTARIA_PORT=<value>'],
    [['serve', '--port=1'], 'PORTARIA_PORT=<value>'],
    [['serve', '--max-body', '1'], 'PORTARIA_MAX_BODY=<value>'],
  ])('%j says that settings are environment variables', async (args, hint) => {
    const { code, err } = await cliEnvironment().run(...args);
    expect(code).toBe(2);
    expect(err).toContain(`Settings are environment variables: ${hint} portaria serve\n`);
    expect((await cliEnvironment().run('serve', '--nonsense')).err).not.toContain('environment');
  });

  test('accepts repeated flags that are repeatable or take no value', async () => {
    const cli = cliEnvironment();
    await cli.seed([]);
    const line = 'events list --kind charge.* --kind company.* --id 1 --id 2 --json --json';
    expect(await cli.run(...line.split(' '))).toMatchObject({ code: 0, err: '' });
  });

  test('no command is an error that prints the help', async () => {
    const { code, err } = await cliEnvironment().run();
    expect(code).toBe(2);
    expect(err).toContain('Usage: portaria');
  });
});

describe('--help', () => {
  test('lists every command, examples and exit codes', async () => {
    const { code, out } = await cliEnvironment().run('--help');
    expect(code).toBe(0);
    for (const command of ['serve', 'send', 'events', 'deliveries', 'quarantine', 'subjects', 'machines'])
      expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    for (const command of ['handlers', 'stats', 'replay', 'contract', 'doctor'])
      expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    expect(out).toMatch(/Examples:[^]*Exit codes:[^]*130 {2}interrupted/);
  });

  test('every example is a valid command line', async () => {
    const cli = cliEnvironment();
    const { out } = await cli.run('--help');
    const examples = /Examples:\n([^]*?)\n\n/.exec(out)?.[1]?.match(/portaria .*?(?= {2,}|$| \|)/gm) ?? [];
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) {
      const args = example.replaceAll("'", '').trim().split(' ').slice(1);
      // With --help, the flags before it are parsed and nothing runs.
      expect(await cli.run(...args, '--help'), example).toMatchObject({ code: 0, err: '' });
    }
  });

  test('no line is wider than 110 characters', async () => {
    const cli = cliEnvironment();
    const wide: string[] = [];
    const look = async (command: readonly string[], list: RegExp): Promise<void> => {
      const { out } = await cli.run(...command, '--help');
      wide.push(...out.split('\n').filter((line) => line.length > 110));
      const commands = list.exec(out)?.[0] ?? '';
      for (const [, name = ''] of commands.matchAll(/^ {2}([a-z-]+)/gm))
        if (name !== 'help') await look([...command, name], /^Commands:\n[^]*?(?:\n\n|$(?!\n))/m);
    };
    await look([], /^Begin:[^]*?\nExamples:/m);
    expect(wide).toEqual([]);
  });

  test('every subcommand has a help', async () => {
    const cli = cliEnvironment();
    const { out } = await cli.run('events', 'list', '--help');
    expect(out).toContain('--limit <n>');
    expect(out).toContain('(default: 50)');
    expect((await cli.run('help', 'replay')).out).toContain('--if-not-succeeded');
  });

  test('--version prints the version', async () => {
    const { out } = await cliEnvironment().run('--version');
    expect(out).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('without a database', () => {
  test.each([[['events', 'list']], [['stats']], [['deliveries', 'retry', 'd1']], [['replay', '--dry-run']]])(
    '%j says what to do, and creates none',
    async (args) => {
      const cli = cliEnvironment();
      const { code, err } = await cli.run(...args);
      expect(code).toBe(3);
      expect(err).toContain(`There is no database at ${cli.database}`);
      expect(err).toContain('portaria serve');
      // The second run still finds none.
      expect((await cli.run(...args)).code).toBe(3);
    },
  );
});

test('a misconfiguration names every invalid setting, one per line', async () => {
  const cli = cliEnvironment();
  cli.env['PORTARIA_CONCURRENCY'] = 'many';
  cli.env['PORTARIA_VERIFY'] = 'hmac';
  const { code, err } = await cli.run('stats');
  expect(code).toBe(4);
  expect(err).toMatch(/^ {2}PORTARIA_CONCURRENCY: .*\n {2}PORTARIA_SECRETS: /m);
});

test('names a handler that does not load, with the reason', async () => {
  const cli = cliEnvironment({
    broken: 'export default 7;',
    fine: "export default defineHandler({ name: 'fine', on: '*', handle() {} });",
  });
  const { code, err } = await cli.run('handlers', 'list');
  expect(code).toBe(4);
  expect(err).toContain('broken.mjs');
  expect(err).not.toContain('fine.mjs');
  expect(err).not.toContain('    at ');
});

test('--database overrides the setting', async () => {
  const cli = cliEnvironment();
  await cli.seed([]);
  cli.env['PORTARIA_DATABASE'] = '/nowhere/else.db';
  expect((await cli.run('stats')).code).toBe(3);
  expect((await cli.run('stats', '--database', cli.database)).code).toBe(0);
});
