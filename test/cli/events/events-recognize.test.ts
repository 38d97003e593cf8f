/** Events that came before their kind was defined, from the handlers folder to the machine's state. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cliEnvironment } from '../kit/cli-environment.ts';

const definitions = (folder: string): string => `
import { appendFileSync } from 'node:fs';
import { defineHandler, defineKind, defineMachine, z } from 'portaria';
export const archived = defineKind('company.archived', {
  schema: z.object({ company: z.int(), at: z.string(), boxes: z.int() }),
  subject: { family: 'archive', id: (data) => data.company },
  version: (data) => data.at,
});
export const typed = defineHandler({
  name: 'typed', on: archived, stale: true,
  handle: ({ data }) => appendFileSync(${JSON.stringify(join(folder, 'ran'))}, data.boxes + ' '),
});
export const boxes = defineMachine({
  name: 'boxes', on: archived, initial: { total: 0, last: 0 },
  evolve: (state, { data }) => ({ total: state.total + data.boxes, last: data.boxes }),
});
`;

const at = (day: number): string => `2026-11-0${String(day)}T12:00:00Z`;
const archivedAt = (day: number, boxes: unknown = day) => ({
  ...{ type: 'company.archived', data: { company: 7, at: at(day), boxes } },
});

async function definedLater() {
  const cli = cliEnvironment();
  await cli.seed([archivedAt(2), archivedAt(1), archivedAt(4, 'many'), archivedAt(3)]);
  writeFileSync(join(cli.handlersFolder, 'archived.mjs'), definitions(cli.folder));
  return cli;
}

const table = (rows: readonly Record<string, unknown>[]) =>
  rows.map(({ outcome, events, deliveries }) => [outcome, events, deliveries]);

test('given a kind that was defined later, then its handlers and machines get what came before, as it came', async () => {
  const cli = await definedLater();
  const recognize = (...flags: string[]) => cli.run('events', 'recognize', '--json', ...flags);

  const plan = await recognize('--plan');
  expect(plan.rows).toMatchObject([
    { kind: 'company.archived', outcome: 'would-recognize', events: 3, deliveries: 6 },
    {
      kind: 'company.archived',
      outcome: 'invalid',
      events: 1,
      message: expect.stringMatching(/^data\.boxes/),
    },
  ]);
  expect((await cli.run('events', 'list', '--flag', 'unrecognized', '--json')).rows).toHaveLength(4);
  expect((await cli.run('audit', 'list', '--json')).rows).toEqual([]);

  const done = await recognize('--yes');
  expect([done.code, table(done.rows)]).toEqual([
    0,
    [
      ['recognized', 3, 6],
      ['invalid', 1, 0],
    ],
  ]);
  await cli.dispatch();
  expect(readFileSync(join(cli.folder, 'ran'), 'utf8')).toBe('2 1 3 ');
  const [state] = (await cli.run('machines', 'show', 'boxes', 'archive:7', '--json')).rows;
  expect(state).toMatchObject({ state: { total: 6, last: 3 } });
  const { rows } = await cli.run('events', 'list', '--kind', 'company.archived', '--json');
  expect(rows.map(({ subject, recognized, verdict }) => [subject, recognized, verdict])).toEqual([
    ['archive:7', true, 'new'],
    [expect.stringMatching(/^company:content-/) as string, false, 'new'],
    ['archive:7', true, 'stale'],
    ['archive:7', true, 'new'],
  ]);
  const [entry] = (await cli.run('audit', 'list', '--json')).rows;
  expect(entry).toMatchObject({
    action: 'recognizeEvents',
    result: 'done',
    subject: { kinds: 'company.archived', recognized: '3' },
  });

  // A process without the definition stores it as unrecognized.
  await cli.seed([archivedAt(2)]);
  expect(table((await recognize('--yes')).rows)).toEqual([
    ['invalid', 1, 0],
    ['duplicate', 1, 0],
  ]);
});

test('a start says how many there are, and asks of no other kind', async () => {
  const cli = await definedLater();
  const said = async (): Promise<string> => {
    const { out, err } = await (await cli.serve())();
    return out + err;
  };
  expect(await said()).toMatch(
    /4 events came before their kinds were defined.*portaria events recognize --plan/,
  );
  expect((await cli.run('events', 'recognize', '--kind', 'company.archivd')).code).toBe(3);

  await cli.run('events', 'recognize', '--yes');
  expect(await said()).toMatch(/1 event came before its kind was defined/);
});

test('without a terminal to ask on it needs --yes, and changes nothing', async () => {
  const cli = await definedLater();
  expect(await cli.run('events', 'recognize')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--yes'),
  });
  expect((await cli.run('events', 'list', '--flag', 'unrecognized', '--json')).rows).toHaveLength(4);
});
