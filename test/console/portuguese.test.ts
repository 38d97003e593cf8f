/** A walk through every page in Portuguese: none says anything in English. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { english, portuguese } from '../../src/console/language/words.ts';
import { schemaMessage } from '../../src/console/language/schema-messages.ts';
import { visitConsole, type Visit } from './kit/console-browser.ts';
import { fillConsole, unlinkedPages } from './kit/filled-console.ts';
import { proseOf, walkPages } from './kit/walk-pages.ts';

/** English words that are no words of Portuguese, and no names. */
const ENGLISH =
  /(?<![\p{L}\p{N}._'’-])(?:the|of|is|are|was|were|and|or|an|not|with|from|that|this|its|has|have|which|when|been|by|to|it|they|without|expected|received|every|each|only|all|any|more|than)(?![\p{L}\p{N}_'’-]|\.\p{L})/iu;

let visit: Visit;
let pages: ReadonlyMap<string, string>;

beforeAll(async () => {
  visit = await visitConsole({ samples: true });
  await fillConsole(visit);
  pages = await walkPages(visit, ['/', ...unlinkedPages], { 'accept-language': 'pt-BR' });
}, 30_000);

afterAll(() => visit.close());

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

it.each([
  ['The data of charge.updated has values that the contract does not list', 'Os dados de charge.updated têm'],
  ['overtaken by event zzzzzz-2', 'ultrapassada pelo evento zzzzzz-2'],
  ['timed out after 30000 ms', 'passou do tempo limite de 30000 ms'],
])('what is stored in English is said in Portuguese: %s', (stored, said) => {
  expect(schemaMessage(stored)).toContain(said);
});

it('a condition that a plan does not have is refused in Portuguese', async () => {
  const { html } = await visit.open('/plan?action=retry&colour=red', { 'accept-language': 'pt-BR' });
  expect(html).toContain('Não é uma condição aqui: retry aceita');
});

it('English is only in quotes: what schemas and parsers say of webhooks, and of an address that was typed', () => {
  const marked = [...pages].flatMap(([path, html]) =>
    [...html.matchAll(/<(\w+) lang="en">/gu)].map(
      ([, tag = '']) => `${tag} in ${path.split(/[?/]/u)[1] ?? ''}`,
    ),
  );
  expect([...new Set(marked)].toSorted()).toEqual([
    'q in ',
    'q in events',
    'q in plan',
    'q in quarantine',
    'q in subjects',
    // The name of the language of a report.
    'summary in quarantine',
  ]);
});

it.each([
  ...['document status odd is not known', 'the document was signed and became pending'],
  ...['the document is signed, without document_signed_at', 'in review without a signed document'],
  ...['the document is signed, but the indication is still pending', 'created again'],
  ...['document_signed_at on a document that is pending', 'the document was refused without a reason'],
  ...['the document was refused, but the indication is review', 'failed while an attempt was running'],
  ...['step.updated after the attempt had succeeded', 'started after the attempt had failed'],
  ...['connected while already connected', 'disconnected while not connected', 'failed with connected true'],
  ...['started at step otp, instead of none', 'succeeded at step otp, instead of completed'],
  ...['failed at step completed, which only a success reaches', 'started at attempt 2, instead of 1'],
  ...['failed without a step', 'failed without an error', 'connected with an error', 'step odd is not known'],
  ...['connected without connected_at', 'connected before the earlier disconnection'],
  ...['disconnected before the last connection', 'attempt 4 of step otp, which allows 3'],
  ...['step otp, attempt 2, does not continue the start, attempt 1'],
  ...['failed at no step, attempt 2, but the attempt was at otp, attempt 1'],
  ...['succeeded with attempt 2, but the attempt was at the start, attempt 1'],
])('an anomaly of a shipped machine is told in Portuguese: %s', (text) => {
  expect(portuguese.machines.anomaly(text)).not.toMatch(
    /\b(?:after|again|attempt|before|but|document|on|step|the|while|with|without)\b(?![._])/u,
  );
});

/** The texts of a catalogue that are no functions. */
function* textsOf(catalogue: object): Iterable<string> {
  for (const value of Object.values(catalogue) as readonly unknown[])
    if (typeof value === 'string') yield value;
    else if (typeof value === 'object' && value !== null) yield* textsOf(value);
}
