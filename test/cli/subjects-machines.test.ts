import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { cliWorld, violation } from './cli-world.ts';

const scenario = readFileSync(
  new URL('../../fixtures/scenarios/login-refused-password-and-two-codes.ndjson', import.meta.url),
  'utf8',
)
  .trimEnd()
  .split('\n');

/** With the shipped login machine. */
async function loginWorld() {
  const world = cliWorld({ login: "export { default } from 'portaria/handlers/login-attempt';" });
  await world.seed(scenario);
  await world.dispatch();
  return world;
}

describe('subjects show', () => {
  test('tells every event, what became of it, and what changed', async () => {
    const world = cliWorld({ log: "export default defineHandler({ name: 'log', on: '*', handle() {} });" });
    await world.seed([violation(1), violation(1, 'paid'), violation(1, 'paid')]);
    await world.dispatch();
    const { out } = await world.run('subjects', 'show', 'traffic-violation:1');
    expect(out).toMatch(/^traffic-violation:1 /);
    expect(out).toMatch(/-2 {2}traffic-violation\.created {2}new \(repeated 1 times\)/);
    expect(out).toContain('log  succeeded after 1 try');
    expect(out).toContain('data.status: "pending" -> "paid"');
    const [timeline] = (await world.run('subjects', 'show', 'traffic-violation:1', '--json')).rows;
    expect(timeline).toMatchObject({
      subject: 'traffic-violation:1',
      events: [
        { changes: [] },
        { repeats: 1, changes: [{ path: 'data.status', from: 'pending', to: 'paid' }] },
      ],
    });
  });

  test('masks personal data until asked', async () => {
    const world = cliWorld();
    const user = (email: string, at: string) => ({
      type: 'console-user.updated',
      data: { id: 'a', email, updated_at: at },
    });
    await world.seed([
      user('old@example.com', '2026-11-01T00:00:00Z'),
      user('new@example.com', '2026-11-02T00:00:00Z'),
    ]);
    expect((await world.run('subjects', 'show', 'console-user:a')).out).not.toContain('@example.com');
    expect((await world.run('subjects', 'show', 'console-user:a', '--unmask')).out).toContain(
      'data.email: "old@example.com" -> "new@example.com"',
    );
  });

  test('of a long subject a part is shown, and how to see the rest', async () => {
    const world = cliWorld();
    await world.seed(['pending', 'paid', 'pending', 'paid', 'expired'].map((status) => violation(1, status)));
    const cut = await world.run('subjects', 'show', 'traffic-violation:1', '--limit', '2');
    expect(cut.out.match(/traffic-violation\.\w+ {2}(new|ambiguous)/g)).toHaveLength(2);
    const next = /--limit all shows every one, --after (\S+) goes on/.exec(cut.err)?.[1] ?? '';
    expect(cut.err).toContain('Cut at 2 of ');

    const [rest] = (await world.run('subjects', 'show', 'traffic-violation:1', '--json', '--after', next))
      .rows;
    const [all] = (await world.run('subjects', 'show', 'traffic-violation:1', '--json', '--limit', 'all'))
      .rows;
    const [newest] = (
      await world.run('subjects', 'show', 'traffic-violation:1', '--json', '--newest', '--limit', '1')
    ).rows;
    const events = all?.['events'] as { id: string }[];
    expect(all).toMatchObject({ total: events.length, next: null });
    expect(rest).toMatchObject({ total: events.length, next: null, events: events.slice(2) });
    expect(newest).toMatchObject({ events: [events.at(-1)], next: events.at(-1)?.id });
    expect(await world.run('subjects', 'show', 'traffic-violation:1', '--after', 'x')).toMatchObject({
      code: 2,
    });
  });

  test('a subject nobody heard of is not found; a malformed name is a usage error', async () => {
    const world = cliWorld();
    await world.seed([]);
    expect(await world.run('subjects', 'show', 'company:1')).toMatchObject({ code: 3 });
    expect(await world.run('subjects', 'show', 'company')).toMatchObject({ code: 2 });
  });
});

describe('machines', () => {
  test('list and show what they know', async () => {
    const world = await loginWorld();
    expect((await world.run('machines', 'list', '--json')).rows).toMatchObject([
      { machine: 'login-attempt', subject: 'company-login:12', anomalies: 0 },
    ]);
    expect((await world.run('machines', 'list', '--anomalous')).out).toContain('No machine knows');
    expect((await world.run('machines', 'list', '--machine', 'other', '--json')).rows).toEqual([]);
    const shown = await world.run('machines', 'show', 'login-attempt', 'company-login:12');
    expect(shown.out).toContain('"phase": "succeeded"');
    expect(await world.run('machines', 'show', 'login-attempt', 'company-login:99')).toMatchObject({
      code: 3,
    });
  });

  test('rebuild folds anew to the same state', async () => {
    const world = await loginWorld();
    const rebuilt = await world.run('machines', 'rebuild', '--json');
    expect(rebuilt).toMatchObject({
      code: 0,
      rows: [
        {
          machine: 'login-attempt',
          subject: 'company-login:12',
          outcome: 'unchanged',
          events: scenario.length,
        },
      ],
    });
    const dry = await world.run(
      'machines',
      'rebuild',
      'login-attempt',
      '--subject',
      'company-login:12',
      '--dry-run',
    );
    expect(dry.out).toContain('would-rebuild');
    expect(await world.run('machines', 'rebuild', 'login-atempt')).toMatchObject({ code: 3 });
    expect(await world.run('machines', 'rebuild', '--subject', 'company-login:99')).toMatchObject({
      code: 3,
    });
  });
});

describe('handlers list', () => {
  const narrow = {
    charges: "export default defineHandler({ name: 'charges', on: 'charge.*', handle() {} });",
  };

  test('tells for each kind who gets it', async () => {
    const { rows } = await cliWorld(narrow).run('handlers', 'list', '--json');
    expect(rows).toHaveLength(32);
    expect(rows).toContainEqual({ kind: 'charge.created', covered: true, handlers: ['charges'] });
    expect(rows).toContainEqual({ kind: 'company.created', covered: false, handlers: [] });
  });

  test.each([
    [['--handler', 'charges'], 4],
    [['--uncovered'], 28],
    [['--kind', 'charge.payment-slip.*'], 2],
    [['--kind', 'charge.*', '--uncovered'], 0],
    [['--limit', '3'], 3],
  ])('%j chooses %i kinds', async (flags, count) => {
    const { rows } = await cliWorld(narrow).run('handlers', 'list', '--json', ...flags);
    expect(rows).toHaveLength(count);
  });

  test('for people it begins with the handlers, and needs no database', async () => {
    const { out, code } = await cliWorld(narrow).run('handlers', 'list');
    expect(code).toBe(0);
    expect(out).toMatch(/charges +handler +charge\.\*/);
    expect(out).toMatch(/company\.created +\(nobody\)/);
  });
});

test('stats tells what the store holds', async () => {
  const world = await loginWorld();
  await world.seed(['{broken', violation(1)]);
  const { out } = await world.run('stats');
  expect(out).toMatch(/^events +9$/m);
  expect(out).toMatch(/^in quarantine +1 \(\d+ B of 1\.0 GiB\); none dropped$/m);
  expect((await world.run('stats', '--json')).rows).toMatchObject([
    { events: 9, quarantine_held: 1, deliveries: { succeeded: 8, pending: 0 } },
  ]);
});
