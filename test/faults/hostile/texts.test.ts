/** What strangers write, wherever they can write it: kept byte for byte, and shown to nobody as it is but to programs. */
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { onTerminal } from '../../support/launch-program.ts';
import { serve, type RunningPortaria } from '../../support/running-portaria.ts';
import { workshop } from '../../support/workshop.ts';
import { printFigures } from '../kit/figures.ts';
import { readBeside, wrongWith } from '../kit/kept.ts';
import { need } from '../kit/needs.ts';
import { poster, type TimedAnswer } from '../kit/poster.ts';
import { draws, seedOfRun } from '../kit/seed.ts';
import { expectNoTrouble } from '../kit/target.ts';
import { hostileEnvelopes } from './corpus/envelopes.ts';
import { escapedJson, hostileCharacters, injections } from './corpus/texts.ts';

/** Anything but text that shows as what it is, and line feeds. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

interface Sent {
  readonly body: string;
  readonly answer: TimedAnswer;
}

/** Some at a time, as one program waits for the other; the results in order. */
async function inGroups<T, R>(all: readonly T[], size: number, work: (one: T, at: number) => Promise<R>) {
  const results: R[] = [];
  for (let from = 0; from < all.length; from += size)
    results.push(...(await Promise.all(all.slice(from, from + size).map((one, at) => work(one, from + at)))));
  return results;
}

async function sendAll(seed: number, running: RunningPortaria, database: string): Promise<readonly Sent[]> {
  const store = await readBeside(database);
  const post = poster(running.url, new Agent({ keepAlive: true, maxSockets: 8 }));
  return inGroups([...hostileEnvelopes(draws(seed))], 8, async (body, at) => {
    // What a header can hold of it: bytes beyond ASCII are C1 to who reads them as Latin-1.
    const injection = injections[at % injections.length] ?? '';
    const answer = await post(body, {
      'user-agent': `\u0085\u009b31m ${injection.replaceAll(/[^\u0020-\u007e\u0080-\u00ff]/gu, '')}`,
      'webhook-id': `${String(at)}${injection.replaceAll(/[^\u0021-\u007e]/gu, '').slice(0, 200)}`,
    });
    expect([202, 400, 422]).toContain(answer.status);
    expect(await wrongWith(store, body, answer)).toBeUndefined();
    return { body, answer };
  });
}

/** Asks the private port; what it answers is JSON, and no browser takes it for anything else. */
async function ask({ operators }: RunningPortaria, path: string): Promise<unknown> {
  const response = await fetch(new URL(path, operators));
  expect([
    path,
    response.headers.get('content-type'),
    response.headers.get('x-content-type-options'),
  ]).toEqual([path, 'application/json', 'nosniff']);
  return response.json();
}

test('hostile texts in every field are kept as they are, and shown escaped on a terminal, in JSON to programs', async (context) => {
  need(context, 'terminal');
  const seed = seedOfRun();
  const { database } = workshop();
  const env = { PORTARIA_DATABASE: database };
  const running = await serve(env);
  const sent = await sendAll(seed, running, database);
  const taken = sent.filter(({ answer }) => answer.status === 202);
  const refused = sent.filter(({ answer }) => answer.status !== 202);

  const subjects = await inGroups(taken, 8, async ({ body, answer }) => {
    const { data } = JSON.parse(body) as { data: unknown };
    const shown = await ask(running, `/api/events/${answer.id}?unmask=true`);
    expect(shown).toMatchObject({ data });
    await ask(running, `/api/events/${answer.id}`);
    return (shown as { subject: string }).subject;
  });
  await inGroups(refused, 8, async ({ body, answer }) => {
    expect(await ask(running, `/api/quarantine/${answer.id}?unmask=true`)).toMatchObject({ body });
    await ask(running, `/api/quarantine/${answer.id}`);
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
      await ask(running, place + path);
  }

  const { between } = draws(seed + 1);
  const some = <T>(of: readonly T[]): readonly T[] =>
    Array.from({ length: 5 }, () => of[between(0, of.length - 1)] as T);
  const commands = [
    ['events', 'list', '--limit', '1000'],
    ['events', 'list', '--limit', '1000', '--json'],
    ['quarantine', 'list', '--limit', '1000'],
    ['quarantine', 'list', '--limit', '1000', '--json'],
    ['stats'],
    // Some begin with a dash.
    ...some(subjects).map((subject) => ['subjects', 'show', '--unmask', '--', subject]),
    ...some(taken).flatMap(({ answer: { id } }) => [
      ['events', 'show', id, '--unmask'],
      ['events', 'show', id, '--unmask', '--json'],
    ]),
    ...some(refused).flatMap(({ answer: { id } }) => [
      ['quarantine', 'show', id, '--unmask'],
      ['quarantine', 'show', id, '--unmask', '--json'],
    ]),
  ];
  const screens = await inGroups(commands, 3, async (command) => {
    const { code, out } = await onTerminal(command, env).ended;
    // A terminal has a carriage return before each line feed.
    const screen = out.replaceAll('\r\n', '\n');
    expect([command.join(' '), code, UNSAFE.exec(screen)]).toEqual([command.join(' '), 0, null]);
    return screen;
  });

  const all = screens.join('');
  const unseen = hostileCharacters.filter(
    (character) =>
      !all.includes(JSON.stringify(character).slice(1, -1)) &&
      !all.includes(escapedJson(character).slice(1, -1)),
  );
  expect(unseen).toEqual([]);
  // What is logged is a line of JSON each, whatever a kind has in it.
  for (const line of running.written().trimEnd().split('\n'))
    expect(JSON.parse(line)).toHaveProperty('level');
  expectNoTrouble(running);
  printFigures('hostile texts', {
    cases: sent.length,
    taken: taken.length,
    refused: refused.length,
    screens: commands.length,
    seed,
  });
});

test.each(['json', 'pretty'])('the %s log on a terminal shows hostile kinds escaped', async (format) => {
  const { database } = workshop();
  const { child, out } = onTerminal(['serve'], {
    PORTARIA_DATABASE: database,
    PORTARIA_LOG_FORMAT: format,
    PORTARIA_PORT: '0',
    PORTARIA_OPS_PORT: '0',
  });
  const url = await eventually('it says where it listens', () => /http:[^\s"]*\/webhooks/u.exec(out())?.[0]);
  const kinds = injections.map((injection) => injection.replaceAll(/[\p{Cc}\p{Cs}]/gu, '').slice(0, 200));

  for (const type of ['odd.\u202e\u2066\u061c\u200b\u2028\ufeff', ...kinds, 'the.last'])
    await fetch(url, { method: 'POST', body: JSON.stringify({ type, data: 1 }) });
  await eventually('the last is logged', () => out().includes('the.last'));

  // Colours are the log's own.
  const screen = out()
    .replaceAll('\r\n', '\n')
    .replaceAll(/\u001b\[\d*m/gu, '');
  expect(UNSAFE.exec(screen)).toBeNull();
  expect(screen).toContain(String.raw`odd.\u202e\u2066\u061c\u200b\u2028\ufeff`);
  child.kill('SIGTERM');
});
