/** A walk through every page in Portuguese: none says anything in English. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { english } from '../../src/console/language/english.ts';
import { portuguese } from '../../src/console/language/portuguese.ts';
import { observedProblems } from './observed-problems.ts';
import { visitConsole, webhook, type Visit } from './console-browser.ts';
import { proseOf, walkPages } from './walk-pages.ts';

/** English words that are no words of Portuguese, and no names. */
const ENGLISH =
  /(?<![\p{L}\p{N}._'’-])(?:the|of|is|are|was|were|and|or|an|not|with|from|that|this|its|has|have|which|when|been|by|to|it|they|without|expected|received|every|each|only|all|any|more|than)(?![\p{L}\p{N}_'’-]|\.\p{L})/iu;

/** Pages that no link leads to: what a mistyped address or form is answered with, and plans without a form. */
const UNLINKED = [
  '/nowhere',
  '/events/zzzzzz-99',
  '/jobs/j99',
  '/subjects/company:99',
  '/events?since=yesterday',
  '/events?where=status+is+7',
  '/events?where=data.status+%3D+paid',
  '/events?text=Serra',
  '/plan?action=replay&handlers=billing',
  '/plan?action=replay&since=yesterday',
  '/plan?action=release',
  '/plan?action=discard&reason=teste',
  '/plan?action=retry&status=pending',
  '/plan?action=nothing',
];

let visit: Visit;
let pages: ReadonlyMap<string, string>;

beforeAll(async () => {
  visit = await visitConsole({ samples: true });
  await fill(visit);
  pages = await walkPages(visit, ['/', ...UNLINKED], { 'accept-language': 'pt-BR' });
}, 30_000);

afterAll(() => visit.close());

async function fill({ setup, open, send }: Visit): Promise<void> {
  // Errors of handlers are in the language of their author.
  setup.failing = 'caixa fechado';
  for (const [at, status] of ['pending', 'paid', 'refunded'].entries())
    await setup.receive(
      webhook('charge.updated', { id: 7, status, updated_at: `2026-11-1${String(at)}T10:00:00Z` }),
    );
  await setup.receive(
    webhook('charge.updated', { id: 7, status: 'paid', updated_at: '2026-11-09T10:00:00Z' }),
  );
  for (let repeat = 0; repeat < 2; repeat++) await setup.receive(webhook('company.created', { id: 12 }));
  await setup.receive({ type: 'freight.booked', data: { id: 3, to: 'Santos' } });
  await setup.receive(webhook('company.updated', { id: 12 }), { messageId: 'm1' });
  await setup.receive(webhook('company.updated', { id: 13 }), { messageId: 'm1' });
  for (const body of ['', '{"type":', '[]', '{"type":"","data":{}}', '{"type":"charge.updated","data":{}}'])
    await setup.receive(body);
  await setup.settle();
  const planned = /name="plan" value="([^"]+)"/u.exec((await open('/plan?action=retry')).html)?.[1] ?? '';
  await send('/plan/start', { plan: planned, staged: 'true', stop_at: '20' });
  await setup.runJobs();
  await send('/handlers/pause', { handler: 'billing', reason: 'fechamento', until: '1h', back: '/handlers' });
  await setup.receive(webhook('charge.created', { id: 8 }));
  setup.observation = { problems: observedProblems(setup.clock.now()), quiet: [] };
}

it('the walk has seen every page', () => {
  const seen = new Set([...pages.keys()].map((path) => path.split(/[?/]/u)[1] ?? ''));
  for (const name of Object.keys(english.frame.names))
    if (name !== 'overview') expect(seen, name).toContain(name);
  expect([...pages.keys()]).toEqual(
    expect.arrayContaining([
      '/',
      '/live',
      '/events/zzzzzz-99',
      '/jobs/j1',
      '/quarantine/q1',
      '/machines/charge-status',
    ]),
  );
});

it('no page has a sentence in English', () => {
  const found = [...pages].flatMap(([path, html]) =>
    proseOf(html)
      .filter((text) => ENGLISH.test(text))
      .map((text) => `${path}: ${text}`),
  );
  expect(found).toEqual([]);
});

it('no page has a text of the English catalogue that is another one in Portuguese', () => {
  const own = new Set(textsOf(portuguese));
  const foreign = new Set([...textsOf(english)].filter((text) => !own.has(text)));
  const found = [...pages].flatMap(([path, html]) =>
    proseOf(html)
      .filter((text) => foreign.has(text))
      .map((text) => `${path}: ${text}`),
  );
  expect(found).toEqual([]);
});

it('no page marks a text as English because it has no translation', () => {
  const marked = [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/<span lang="en">([^<]*)/gu)].map(([, text]) => `${path}: ${text ?? ''}`),
  );
  expect(marked).toEqual([]);
});

/** The texts of a catalogue that are no functions. */
function* textsOf(catalogue: object): Iterable<string> {
  for (const value of Object.values(catalogue) as readonly unknown[])
    if (typeof value === 'string') yield value;
    else if (typeof value === 'object' && value !== null) yield* textsOf(value);
}
