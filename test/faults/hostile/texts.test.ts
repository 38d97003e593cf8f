/** Given hostile strings in every place that a sender controls: stored byte for byte, and escaped wherever a person sees them. */
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { onTerminal } from '../../support/launch-program.ts';
import { portaria, serve, type RunningPortaria } from '../../support/running-portaria.ts';
import { createWorkspace } from '../../support/workspace.ts';
import { printFigures } from '../kit/figures.ts';
import { expectNoErrors, openBeside, problemWith } from '../kit/check-stored.ts';
import { need } from '../kit/needs.ts';
import { poster, type TimedResponse } from '../kit/senders/poster.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { hostileEnvelopes } from './corpus/envelopes.ts';
import { escapedJson, hostileCharacters, injections } from './corpus/texts.ts';

/** Every unsafe character but the line feed. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

interface Sent {
  readonly body: string;
  readonly response: TimedResponse;
}

/** Runs `size` calls at a time. Returns the results in order. */
async function inGroups<T, R>(all: readonly T[], size: number, work: (one: T, at: number) => Promise<R>) {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += size)
    results.push(...(await Promise.all(all.slice(from, from + size).map((one, at) => work(one, from + at)))));
  return results;
}

async function sendAll(seed: number, running: RunningPortaria, database: string): Promise<readonly Sent[]> {
  const store = await openBeside(database);
  const post = poster(running.url, new Agent({ keepAlive: true, maxSockets: 8 }));
  return inGroups([...hostileEnvelopes(draws(seed))], 8, async (body, at) => {
    // The part that a header can hold. Read as Latin-1, some bytes beyond ASCII are C1 control characters.
    const injection = injections[at % injections.length] ?? '';
    const response = await post(body, {
      'user-agent': `\u0085\u009b31m ${injection.replaceAll(/[^\u0020-\u007e\u0080-\u00ff]/gu, '')}`,
      'webhook-id': `${String(at)}${injection.replaceAll(/[^\u0021-\u007e]/gu, '').slice(0, 200)}`,
    });
    expect(await problemWith(store, body, response)).toBeUndefined();
    return { body, response };
  });
}

/** Reads JSON from the private port, and checks that a browser would treat it as nothing else. */
async function readApi({ operators }: RunningPortaria, path: string): Promise<unknown> {
  const response = await fetch(new URL(path, operators));
  expect([
    path,
    response.headers.get('content-type'),
    response.headers.get('x-content-type-options'),
  ]).toEqual([path, 'application/json', 'nosniff']);
  return response.json();
}

test('hostile strings in every field are stored unchanged, returned as JSON, and escaped on a terminal', async (context) => {
  need(context, 'terminal');
  const seed = seedOfRun();
  const { database } = createWorkspace();
  const env = { PORTARIA_DATABASE: database };
  const running = await serve(env);
  const sent = await sendAll(seed, running, database);
  const accepted = sent.filter(({ response }) => response.status === 202);
  const rejected = sent.filter(({ response }) => response.status !== 202);

  const subjects = await inGroups(accepted, 8, async ({ body, response }) => {
    const { data } = JSON.parse(body) as { data: unknown };
    const shown = await readApi(running, `/api/events/${response.id}?unmask=true`);
    expect(shown).toMatchObject({ data });
    await readApi(running, `/api/events/${response.id}`);
    return (shown as { subject: string }).subject;
  });
  await inGroups(rejected, 8, async ({ body, response }) => {
    expect(await readApi(running, `/api/quarantine/${response.id}?unmask=true`)).toMatchObject({ body });
    await readApi(running, `/api/quarantine/${response.id}`);
  });
  for (const injection of injections) {
    const path = encodeURIComponent(Buffer.from(injection).toString());
    for (const place of [
      '/',
      '/api/events/',
      '/api/subjects/',
      '/api/quarantine/',
      '/api/events?kind=',
      '/api/events?x=',
    ])
      await readApi(running, place + path);
  }

  const { between } = draws(seed + 1);
  const some = <T>(of: readonly T[]): T => of[between(0, of.length - 1)] as T;
  const [event, entry] = [some(accepted).response.id, some(rejected).response.id];
  const commands = [
    ['events', 'list', '--limit', '1000'],
    ['events', 'list', '--limit', '1000', '--json'],
    ['quarantine', 'list', '--limit', '1000'],
    ['quarantine', 'list', '--limit', '1000', '--json'],
    ['stats'],
    // Some subjects start with a dash.
    ['subjects', 'show', '--unmask', '--', some(subjects)],
    ['events', 'show', event, '--unmask'],
    ['events', 'show', event, '--unmask', '--json'],
    ['quarantine', 'show', entry, '--unmask'],
    ['quarantine', 'show', entry, '--unmask', '--json'],
  ];
  const screens = await inGroups(commands, 3, async (command) => {
    const { code, out } = await onTerminal(command, env).ended;
    // A terminal prints a carriage return before each line feed. The colours are those of tables.
    const screen = out.replaceAll('\r\n', '\n').replaceAll(/\u001b\[\d+m/gu, '');
    expect([command.join(' '), code, UNSAFE.exec(screen)]).toEqual([command.join(' '), 0, null]);
    return screen;
  });

  // A terminal that closes may lose the end of a long list: whether each character is there, a pipe tells.
  const lists = await inGroups(
    commands.slice(0, 4),
    2,
    async (command) => (await portaria(command, env)).out,
  );
  const all = [...screens, ...lists].join('');
  const unseen = hostileCharacters.filter(
    (character) =>
      !all.includes(JSON.stringify(character).slice(1, -1)) &&
      !all.includes(escapedJson(character).slice(1, -1)),
  );
  expect(unseen).toEqual([]);
  // Every log line is JSON, whatever the kind contains.
  for (const line of running.written().trimEnd().split('\n'))
    expect(JSON.parse(line)).toHaveProperty('level');
  expectNoErrors(running);
  printFigures('hostile texts', {
    cases: sent.length,
    accepted: accepted.length,
    rejected: rejected.length,
    screens: commands.length,
    seed,
  });
});

test.each(['json', 'pretty'])('the %s log escapes hostile kinds on a terminal', async (format) => {
  const { database } = createWorkspace();
  const { child, out } = onTerminal(['serve'], {
    PORTARIA_DATABASE: database,
    PORTARIA_LOG_FORMAT: format,
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
  });
  const url = await eventually('the URL is printed', () => /http:[^\s"]*\/webhooks/u.exec(out())?.[0]);
  const kinds = injections.map((injection) => injection.replaceAll(/[\p{Cc}\p{Cs}]/gu, '').slice(0, 200));

  for (const type of ['odd.\u202e\u2066\u061c\u200b\u2028\ufeff', ...kinds, 'the.last'])
    await fetch(url, { method: 'POST', body: JSON.stringify({ type, data: 1 }) });
  await eventually('the last is logged', () => out().includes('the.last'));

  // The colours are those of the log itself.
  const screen = out()
    .replaceAll('\r\n', '\n')
    .replaceAll(/\u001b\[\d*m/gu, '');
  expect(UNSAFE.exec(screen)).toBeNull();
  expect(screen).toContain(String.raw`odd.\u202e\u2066\u061c\u200b\u2028\ufeff`);
  child.kill('SIGTERM');
});
