import { describe, expect, test } from 'vitest';
import { cliWorld } from './cli-world.ts';

describe('a misspelt command line', () => {
  test.each([
    [['evnets', 'list'], "unknown command 'evnets'", 'events'],
    [['events', 'lst'], "unknown command 'lst'", 'list'],
    [['events', 'list', '--knd', 'x'], "unknown option '--knd'", '--kind'],
    [['deliveries', 'retry', '--dryrun'], "unknown option '--dryrun'", '--dry-run'],
    [['replay', '--if-not-suceeded'], "unknown option '--if-not-suceeded'", '--if-not-succeeded'],
  ])('%j is an error that suggests the right word', async (args, complaint, suggestion) => {
    const { code, err, out } = await cliWorld().run(...args);
    expect(code).toBe(2);
    expect(err).toContain(complaint);
    expect(err).toContain(`Did you mean ${suggestion}?`);
    expect(out).toBe('');
  });

  test.each([
    [
      ['events', 'list', '--status', 'failed'],
      'Allowed choices are pending, running, succeeded, dead, skipped',
    ],
    [['events', 'list', '--since', 'yesterday'], 'how long ago'],
    [['events', 'list', '--limit', '-1'], 'Write a whole number, or all'],
    [['events', 'list', '--subject', 'company'], 'family:id'],
    [['events', 'list', 'surplus'], 'too many arguments'],
    [['events', 'show'], "missing required argument 'id'"],
    [['replay', '--rate', '0'], 'above 0'],
    [['contract', '--format', 'asyncapi', '--kind', 'charge.created'], 'goes with --format json-schema'],
  ])('%j says what would be right', async (args, hint) => {
    const { code, err } = await cliWorld().run(...args);
    expect(code).toBe(2);
    expect(err).toContain(hint);
  });

  test.each([
    ['events list --status dead --status succeeded', '--status <status>'],
    ['events list --limit 5 --limit 5', '--limit <n>'],
    ['events import - --source=a --source=b', '--source <name>'],
    ['replay --handler a --to http://localhost:1 --to http://localhost:2', '--to <url>'],
    ['contract --format asyncapi --format json-schema', '--format <format>'],
    ['--database a.db stats --database b.db', '--database <file>'],
    ['send charge.created --url http://localhost:1 --url http://localhost:2', '--url <url>'],
  ])('%s is an error: one of the values would be lost', async (line, flag) => {
    const { code, err, out } = await cliWorld().run(...line.split(' '));
    expect(code).toBe(2);
    expect(err).toBe(`error: option '${flag}' takes one value and was given twice\n`);
    expect(out).toBe('');
  });

  test.each([
    [['serve', '--port', '1'], 'PORTARIA_PORT=<value>'],
    [['serve', '--port=1'], 'PORTARIA_PORT=<value>'],
    [['serve', '--max-body', '1'], 'PORTARIA_MAX_BODY=<value>'],
  ])('%j: settings are environment variables', async (args, hint) => {
    const { code, err } = await cliWorld().run(...args);
    expect(code).toBe(2);
    expect(err).toContain(`Settings are environment variables: ${hint} portaria serve\n`);
    expect((await cliWorld().run('serve', '--nonsense')).err).not.toContain('environment');
  });

  test('flags that may be repeated, and those without a value, are as they are', async () => {
    const world = cliWorld();
    await world.seed([]);
    const line = 'events list --kind charge.* --kind company.* --id 1 --id 2 --json --json';
    expect(await world.run(...line.split(' '))).toMatchObject({ code: 0, err: '' });
  });

  test('no command at all shows the help and is an error', async () => {
    const { code, err } = await cliWorld().run();
    expect(code).toBe(2);
    expect(err).toContain('Usage: portaria');
  });
});

describe('--help', () => {
  test('lists every command, examples and exit codes', async () => {
    const { code, out } = await cliWorld().run('--help');
    expect(code).toBe(0);
    for (const command of ['serve', 'send', 'events', 'deliveries', 'quarantine', 'subjects', 'machines'])
      expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    for (const command of ['handlers', 'stats', 'replay', 'contract', 'doctor'])
      expect(out).toMatch(new RegExp(`^  ${command}\\b`, 'm'));
    expect(out).toMatch(/Examples:[^]*Exit codes:[^]*130 {2}interrupted/);
  });

  test('its examples are command lines that exist', async () => {
    const world = cliWorld();
    const { out } = await world.run('--help');
    const examples = /Examples:\n([^]*?)\n\n/.exec(out)?.[1]?.match(/portaria .*?(?= {2,}|$| \|)/gm) ?? [];
    expect(examples.length).toBeGreaterThan(5);
    for (const example of examples) {
      const args = example.replaceAll("'", '').trim().split(' ').slice(1);
      // Asking for help parses what comes before it, and runs nothing.
      expect(await world.run(...args, '--help'), example).toMatchObject({ code: 0, err: '' });
    }
  });

  test('every subcommand explains itself', async () => {
    const world = cliWorld();
    const { out } = await world.run('events', 'list', '--help');
    expect(out).toContain('--limit <n>');
    expect(out).toContain('(default: 50)');
    expect((await world.run('help', 'replay')).out).toContain('--if-not-succeeded');
  });

  test('--version tells the version', async () => {
    const { out } = await cliWorld().run('--version');
    expect(out).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('without a database', () => {
  test.each([[['events', 'list']], [['stats']], [['deliveries', 'retry', 'd1']], [['replay', '--dry-run']]])(
    '%j says what to do and makes none',
    async (args) => {
      const world = cliWorld();
      const { code, err } = await world.run(...args);
      expect(code).toBe(3);
      expect(err).toContain(`There is no database at ${world.database}`);
      expect(err).toContain('portaria serve');
      // The second time there is still none.
      expect((await world.run(...args)).code).toBe(3);
    },
  );
});

test('a misconfiguration names every mistake, one on a line', async () => {
  const world = cliWorld();
  world.env['PORTARIA_CONCURRENCY'] = 'many';
  world.env['PORTARIA_VERIFY'] = 'hmac';
  const { code, err } = await world.run('stats');
  expect(code).toBe(4);
  expect(err).toMatch(/^ {2}PORTARIA_CONCURRENCY: .*\n {2}PORTARIA_SECRETS: /m);
});

test('a handler that does not load is named with its reason', async () => {
  const world = cliWorld({
    broken: 'export default 7;',
    fine: "export default defineHandler({ name: 'fine', on: '*', handle() {} });",
  });
  const { code, err } = await world.run('handlers', 'list');
  expect(code).toBe(4);
  expect(err).toContain('broken.mjs');
  expect(err).not.toContain('fine.mjs');
  expect(err).not.toContain('    at ');
});

test('--database stands for the setting', async () => {
  const world = cliWorld();
  await world.seed([]);
  world.env['PORTARIA_DATABASE'] = '/nowhere/else.db';
  expect((await world.run('stats')).code).toBe(3);
  expect((await world.run('stats', '--database', world.database)).code).toBe(0);
});
