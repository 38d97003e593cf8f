import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { untilPasses } from '../support/eventually.ts';
import { durationBucket } from '../../src/store/activity.ts';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const SPAN = 300_000;
let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
  await visit.setup.receive(webhook('charge.updated', { id: 7 }));
  await visit.setup.settle();
});

afterEach(() => visit.close());

/** Ten successes of 40 ms and two failures, one for good, in a span so long ago. */
async function happened(spansAgo: number): Promise<void> {
  const { store, clock } = visit.setup;
  await store.recordMonitoring({
    ...{ record: 'activity', received: 12, backlog: 4, oldestMs: 90_000 },
    at: Math.floor(clock.now() / SPAN) * SPAN - spansAgo * SPAN,
    handlers: [
      {
        ...{ handler: 'billing', succeeded: 10, failed: 2, dead: 1, skipped: 0, breakerMs: 60_000 },
        durations: [[durationBucket(40), 12]],
      },
    ],
  });
}

const labels = (html: string): readonly string[] =>
  [...html.matchAll(/role="img" aria-label="([^"]*)"/gu)].map(([, label = '']) => label);

describe('the overview', () => {
  it('draws the last 24 hours, each chart with a sentence that says the same', async () => {
    await happened(1);
    await happened(30);
    await happened(300);

    const { html } = await visit.open('/');

    expect(labels(html)).toEqual(
      expect.arrayContaining([
        'Accepted webhooks: 24 in 24 hours, peak 12 in half an hour.',
        'Deliveries ended: 24 in 24 hours, peak 11 in half an hour.',
        'Waiting: 0 now, peak 4 in 24 hours.',
      ]),
    );
    expect(textOf(html), 'while only five minutes are known').toContain('2.4 a minute in the last 5 min');
  });

  it('counts a rate from the first event of a new process', async () => {
    const fresh = await visitConsole();
    fresh.setup.clock.advance(180_000);
    await fresh.setup.receive(webhook('charge.updated', { id: 1 }));
    const shown = textOf((await fresh.open('/')).html);
    await fresh.close();
    expect(shown).toContain('a minute in the last minute');
  });

  it('has the numbers of its charts in a table, newest first', async () => {
    await happened(1);
    const { html } = await visit.open('/');
    const [, table = ''] = /<details class="numbers">(.*?)<\/details>/su.exec(html) ?? [];
    const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gsu)].map(([, row = '']) => row);
    expect(rows).toHaveLength(13);
    expect(rows[1]).toMatch(/>12<.*>13<.*>4<.*>1 min 30 sec</su);
    expect(rows[2]).not.toMatch(/>\d+</u);
  });

  it('says when there are no numbers yet', async () => {
    visit.setup.activity = () => ({ received: 0, handlers: [] });
    expect((await visit.open('/')).html).toContain('Nothing has happened in 24 hours.');
  });
});

describe('the page of a handler', () => {
  it('shows attempts, their success and durations, and how long the breaker was open, in the last hour and day', async () => {
    await happened(1);
    await happened(30);
    const { html } = await visit.open('/handlers/billing');
    expect(labels(html)).toEqual(['billing: 21 succeeded, 4 failed attempts in 24 hours.']);
    expect(textOf(html)).toContain(
      'Last hour 13 84.6 % 37 ms 37 ms 1 min Last 24 hours 25 84 % 37 ms 37 ms 2 min As a table',
    );
    expect(textOf((await visit.open('/handlers')).html)).toContain('billing 0 0 0 37 ms active');
  });

  it('speaks the language of the visitor', async () => {
    await happened(1);
    const { html } = await visit.open('/handlers/billing', { 'accept-language': 'pt-BR' });
    expect(textOf(html)).toContain('Última hora 13 84,6 % 37 ms 37 ms 1 min');
  });
});

it('names an example of the error that dead deliveries share, without where it was thrown', async () => {
  visit.setup.failing = 'ledger 17 is closed';
  for (const id of [21, 22]) await visit.setup.receive(webhook('charge.updated', { id }));
  await visit.setup.settle();
  const { html } = await visit.open('/');
  expect(textOf(html)).toContain(
    '2 deliveries to billing failed. For example: Error: ledger 17 is closed Seen now, still going on.',
  );
});

describe('what this process has counted and not yet written', () => {
  beforeEach(async () => {
    visit.setup.failing = 'the deploy is broken';
    for (let id = 1; id <= 41; id += 1)
      await visit.setup.receive(webhook('charge.updated', { id: 100 + id }));
    // The breaker opens, and what waits behind it never ends.
    await untilPasses(async () => {
      expect((await visit.open('/')).html).toContain('billing kept failing (breaker open)');
    });
  });

  it('is part of the charts at once, and the overview says as of when', async () => {
    expect(labels((await visit.open('/handlers/billing')).html)).toEqual([
      expect.stringMatching(/^billing: 1 succeeded, [1-9]\d* failed attempts in 24 hours\.$/u),
    ]);
    const { html } = await visit.open('/');
    expect(textOf(html)).toContain('The last 24 hours as of Nov 20, 2026');
    expect(html).not.toContain('There are no numbers yet');
  });

  it('agrees with the breaker on the page of the handler', async () => {
    visit.setup.clock.advance(400);
    const text = textOf((await visit.open('/handlers/billing')).html);
    expect(text).toMatch(/Breaker Its breaker is open\. The next try is in [\d.]+ (?:ms|sec)\. Error: /u);
    expect(text).toMatch(/Last hour \d+ [\d.]+ % .* 400 ms Last 24 hours/u);
    expect(textOf((await visit.open('/handlers')).html)).toMatch(/billing \d+ .* breaker open/u);
    expect((await visit.open('/')).html).toMatch(
      /billing kept failing \(breaker open\).*?<\/span><a href="\/handlers\/billing">See the handler/u,
    );
  });

  it('adds to what was written of the same half hour', async () => {
    const { store, clock } = visit.setup;
    const at = Math.floor(clock.now() / SPAN) * SPAN;
    await store.recordMonitoring({
      ...{ record: 'activity', received: 12, backlog: 4, oldestMs: 90_000, at },
      handlers: [
        {
          ...{ handler: 'billing', succeeded: 1_000, failed: 0, dead: 0, skipped: 0, breakerMs: 0 },
          durations: [[durationBucket(40), 12]],
        },
      ],
    });
    const { html } = await visit.open('/');
    expect(labels((await visit.open('/handlers/billing')).html)).toContainEqual(
      expect.stringMatching(/^billing: 1,001 succeeded, \d+ failed/u),
    );
    expect(labels(html)).toContainEqual(expect.stringMatching(/^Waiting: \d+ now/u));
  });
});
