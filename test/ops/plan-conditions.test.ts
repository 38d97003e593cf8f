import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JobAction } from '../../src/store/jobs.ts';
import { visitConsole, webhook, type Visit } from '../console/kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

/** A valid value of each condition, as the operators' API takes it. */
const values = {
  ids: ['1'],
  handler: 'billing',
  handlers: ['billing'],
  error: 'abcdefabcdef',
  problem: 'abcdefabcdef',
  status: 'dead',
  event_id: '1',
  subject: 'company:12',
  company: '12',
  source: 'default',
  replay: 'r1',
  quarantined_for: 'invalid',
  kind: 'charge.updated',
  verdict: 'new',
  flag: 'sample',
  since: '2026-11-20',
  until: '2026-11-21',
  if_not_succeeded: true,
  include_overtaken: true,
  reason: 'old',
} as const;

type Condition = keyof typeof values;

const ofDeliveries = [
  'ids',
  'handler',
  'error',
  'status',
  'event_id',
  'subject',
  'company',
  'source',
  'replay',
] as const;

/** The conditions of each action. All others are foreign to it. */
const known: Readonly<Record<JobAction, readonly Condition[]>> = {
  retry: [...ofDeliveries, 'include_overtaken'],
  discard: [...ofDeliveries, 'reason'],
  release: ['ids', 'problem', 'quarantined_for', 'kind', 'subject', 'source', 'include_overtaken'],
  replay: [
    ...([
      'ids',
      'handlers',
      'if_not_succeeded',
      'include_overtaken',
      'kind',
      'subject',
      'source',
      'company',
    ] as const),
    ...(['status', 'verdict', 'flag', 'since', 'until'] as const),
  ],
  repair: ['source'],
};

/** What a request of each action needs at least. */
const required: Readonly<Record<JobAction, object>> = {
  retry: {},
  discard: { reason: 'old' },
  release: {},
  replay: { handlers: ['billing'] },
  repair: { subjects: ['charge:1'] },
};

const ids: Readonly<Record<JobAction, readonly string[]>> = {
  retry: ['d1'],
  discard: ['d1'],
  release: ['q1'],
  replay: ['1'],
  repair: [],
};

const actions = Object.keys(known) as JobAction[];
const cases = (select: (isKnown: boolean) => boolean) =>
  actions.flatMap((action) =>
    (Object.keys(values) as Condition[])
      .filter((name) => select(known[action].includes(name)))
      .map((name) => [action, name] as const),
  );

/** The address of a plan. */
function addressOf(request: Readonly<Record<string, unknown>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(request))
    for (const each of [value].flat()) parameters.append(name, String(each));
  return `/plan?${parameters.toString()}`;
}

let visit: Visit;

const ask = async (request: Readonly<Record<string, unknown>>) => {
  const api = await visit.setup.post('/api/plans', request);
  const page = await visit.open(addressOf(request));
  return { api, console: { status: page.status, text: textOf(page.html) } };
};

beforeAll(async () => {
  visit = await visitConsole();
  visit.setup.failing = 'closed';
  for (const id of [1, 2, 3])
    await visit.setup.receive(webhook('charge.updated', { id, updated_at: '2026-11-20T10:00:00Z' }));
  await visit.setup.settle();
});

afterAll(() => visit.close());

describe('a request for a plan', () => {
  it.each(cases((isKnown) => !isKnown))(
    'to %s has no condition %s, and is rejected rather than widened',
    async (action, name) => {
      const { api, console } = await ask({ action, ...required[action], [name]: values[name] });
      expect([api.status, console.status]).toEqual([400, 400]);
      expect(api.body['issues']).toEqual([
        expect.objectContaining({
          path: name,
          message: expect.stringContaining(`${action} takes`) as string,
        }),
      ]);
      expect(console.text).toContain(name);
      expect(console.text).toContain(`${action} takes`);
    },
  );

  it.each(cases((isKnown) => isKnown))('to %s takes %s', async (action, name) => {
    const value = name === 'ids' ? ids[action] : values[name];
    const { api, console } = await ask({ action, ...required[action], [name]: value });
    expect([api.status, console.status], JSON.stringify([api.body, console.text])).toEqual([200, 200]);
  });

  it.each([
    ['retry', { subject: 'compny' }, 'Write family:id, for example company:12'],
    ['discard', { subject: 'compny' }, 'Write family:id, for example company:12'],
    [
      'replay',
      { subject: 'compny' },
      'Write family:id',
      'Write a subject as family:id, for example company:12',
    ],
    ['retry', { status: 'running' }, 'only dead deliveries can'],
    ['discard', { status: 'running' }, 'only pending and dead deliveries can'],
    ['discard', { status: 'ded' }, 'Write one of pending, running, succeeded, dead, skipped'],
    ['release', { quarantined_for: 'malfrmed' }, 'quarantined_for'],
    ['replay', { verdict: 'nwe' }, 'Write one of new, stale, ambiguous'],
    ['replay', { flag: 'smaple' }, 'flag'],
    ['replay', { since: 'yesterday' }, 'since', 'Write a time as 2026-11-22 13:00'],
    ['replay', { if_not_succeeded: 'ja' }, 'if_not_succeeded'],
    ['retry', { ids: ['q1'] }, 'ids.0'],
    ['release', { ids: ['d1'] }, 'ids.0'],
    ['erase', {}, 'Write retry, discard, release, replay or repair'],
  ])(
    'to %s with %j is rejected, and says what to write',
    async (action, conditions, message, shown = message) => {
      const { api, console } = await ask({
        ...{ action, ...(action in required && required[action as JobAction]) },
        ...conditions,
      });
      expect([api.status, console.status]).toEqual([400, 400]);
      expect(JSON.stringify(api.body)).toContain(message);
      expect(console.text).toContain(shown);
    },
  );

  it('reports all mistakes at once', async () => {
    const { api, console } = await ask({ action: 'discard', kind: 'a', subject: 'compny', status: 'ded' });
    const paths = (api.body['issues'] as { path: string }[]).map(({ path }) => path);
    expect(paths.toSorted()).toEqual(['kind', 'status', 'subject']);
    for (const path of paths) expect(console.text).toContain(path);
  });

  it('selects by its conditions and nothing else', async () => {
    const [first] = await visit.setup.store.events({}, { order: 'oldest', limit: 1 });
    for (const [conditions, items] of [
      [{ event_id: 'nope-1' }, 0],
      [{ event_id: first?.id }, 1],
      [{ subject: 'charge:2' }, 1],
      [{ replay: 'r1' }, 0],
      [{}, 3],
    ] as const) {
      const { api, console } = await ask({ action: 'discard', reason: 'old', ...conditions });
      expect(api.body['items']).toBe(items);
      expect(console.text).toContain(
        `Discard ${items === 1 ? '1 delivery' : `${String(items)} deliveries`}?`,
      );
    }
    for (const [conditions, items] of [
      [{ since: '2030-01-01' }, 0],
      [{ ids: ['2'] }, 1],
      [{ verdict: 'stale' }, 0],
      [{ flag: 'sample' }, 0],
      [{ kind: ['company.*', 'charge.*'] }, 3],
      [{ kind: 'company.*,charge.*' }, 3],
    ] as const)
      expect((await ask({ action: 'replay', handlers: ['billing'], ...conditions })).api.body['items']).toBe(
        items,
      );
  });

  it('in an address leaves out what is empty, and has one value for each condition', async () => {
    const empty = await visit.open('/plan?action=discard&reason=old&handler=&subject=+&status=');
    expect(textOf(empty.html)).toContain('Discard 3 deliveries?');
    const twice = await visit.open('/plan?action=retry&handler=billing&handler=nobody');
    expect([twice.status, textOf(twice.html)]).toEqual([400, expect.stringContaining('handler')]);
  });
});
