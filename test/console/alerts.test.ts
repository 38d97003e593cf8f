/** What the watch of the process finds: a sentence, what to do, and the page where its cause is seen. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findMovedServer, createObserve } from '../../src/attention/observe.ts';
import { DAY_MS, HOUR_MS } from '../../src/kernel/time/durations.ts';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

const PORTUGUESE = { 'accept-language': 'pt-BR' };
let visit: Visit;

beforeEach(async () => {
  visit = await visitConsole();
});

afterEach(() => visit.close());

/** Looks for problems as the process does once a minute. */
async function watch(expectations: { pattern: string; withinMs: number }[] = []): Promise<void> {
  const { store, clock } = visit.setup;
  const sources = new Map([
    ['default', { secretsFrom: 'PORTARIA_SECRETS_FILE' }],
    ['other', {}],
  ]);
  visit.setup.observation = await createObserve({
    ...{ store, clock, expectations, sources },
    askOf: () => null,
    knows: () => false,
  })();
}

async function reject(rejections: number, hoursAgo = 0): Promise<void> {
  const { store, clock } = visit.setup;
  const hour = Math.floor(clock.now() / HOUR_MS) - hoursAgo;
  await store.recordMonitoring({
    record: 'rejections',
    rejections: [{ source: 'default', hour, rejections, lastReason: 'too-old', clockSeconds: 4_000 }],
  });
}

const hrefs = (html: string): readonly string[] =>
  [...(/<ul class="problems">.*?<\/ul>/su.exec(html)?.[0] ?? '').matchAll(/href="([^"]*)"/gu)].map(
    ([, href = '']) => href.replaceAll('&amp;', '&'),
  );

describe('webhooks that failed verification', () => {
  it('are a sentence in the language of the visitor, with what to do', async () => {
    await reject(73);
    await watch();
    const [english, portuguese] = [await visit.open('/'), await visit.open('/', PORTUGUESE)];
    expect(textOf(english.html)).toContain(
      '73 webhooks of source default failed verification (401) within two hours, usually none; lately because the sender’s time was 4000 seconds behind this clock (too-old). Set both clocks',
    );
    expect(textOf(portuguese.html)).toContain(
      '73 webhooks da origem default falharam na verificação (401) em duas horas; o normal é nenhum; ultimamente, porque o horário do remetente estava 4.000 segundos atrás deste relógio. Acerte os dois relógios',
    );
    expect(hrefs(english.html)).toEqual(['/senders#rejections']);
  });

  it('are counted on the page of the senders, by source and hour, for a day', async () => {
    await reject(73);
    await reject(5, 3);
    await reject(9, 24);
    const { html } = await visit.open('/senders');
    expect(html).toContain('id="rejections"');
    expect(textOf(html)).toMatch(
      /12:00:00 PM default 73 the sender’s time was 4000 seconds behind this clock .*9:00:00 AM default 5 /u,
    );
    expect(textOf(html)).not.toContain('default 9 ');
    expect(textOf((await visit.open('/live')).html)).toContain('78 webhooks were rejected in 24 hours');
  });

  it('are none on the page of the senders when there are none', async () => {
    expect(textOf((await visit.open('/senders')).html)).toContain('None in the last 24 hours.');
  });
});

it('webhooks to a path that does not exist are said with the path, once they are too many for a scanner', async () => {
  const { store, clock } = visit.setup;
  const hour = Math.floor(clock.now() / HOUR_MS);
  const to = (source: string, rejections: number) => ({
    ...{ source, hour, rejections, lastReason: 'unknown-path', clockSeconds: null },
  });
  const rejections = [
    { ...to('/webhook/recife<b>', 6), hour: hour - 1 },
    ...[to('/webhook/recife<b>', 7), to('/wp-login.php', 2)],
  ];
  await store.recordMonitoring({ record: 'rejections', rejections });
  clock.advance(HOUR_MS / 3);

  const { html } = await visit.open('/');
  expect(textOf(html)).toContain(
    '13 webhooks went to /webhook/recife<b> within two hours. That address does not exist here',
  );
  expect(textOf(html)).toMatch(
    /in the hour that began 20 min\. ago\. If no more come, this line ends in 1 hr 40 min\./u,
  );
  expect(textOf(html)).not.toContain('wp-login');
  expect(hrefs(html)).toEqual(['/senders?open=report']);
  const senders = await visit.open('/senders?open=report');
  expect(textOf(senders.html)).toMatch(
    /nothing of them is stored here .* \/webhook\/recife<b>: 7 webhooks, this path does not exist here/u,
  );
  expect(/<textarea.*?<\/textarea>/su.exec(senders.html)?.[0]).not.toContain('wp-login');
  expect(textOf(senders.html)).toContain('Webhooks go to: /webhooks Please correct this, and send what');
  expect(textOf(senders.html)).toContain('enviem de novo o que falta, na ordem em que aconteceu. Copy');
  expect(textOf(senders.html)).toMatch(
    /\/webhook\/recife<b> 7 this path does not exist here \(404\): nothing is stored\. Webhooks go to \/webhooks/u,
  );
});

it('kinds outside the contract lead to their events', async () => {
  await visit.setup.receive({ type: 'company.archived', data: { id: 7 } });
  await watch();
  const { html } = await visit.open('/');
  expect(textOf(html)).toContain(
    '1 kind of source default that came within seven days is outside the contract: company.archived.',
  );
  const [href = ''] = hrefs(html);
  expect(textOf((await visit.open(href)).html)).toContain('company.archived');
  expect(textOf((await visit.open('/', PORTUGUESE)).html)).toContain(
    'A origem default envia 1 tipo fora do contrato: company.archived.',
  );
});

it('an overdue kind says when it came last, and leads to its events', async () => {
  await visit.setup.receive(webhook('charge.updated', { id: 7 }));
  await visit.setup.settle();
  visit.setup.clock.advance(2 * DAY_MS);
  await watch([{ pattern: 'charge.*', withinMs: DAY_MS }]);
  const { html } = await visit.open('/');
  expect(textOf(html)).toContain(
    'The last event of charge.* arrived at 2026-11-20 12:00:00Z (2 d), and one is expected within 1 d.',
  );
  expect(hrefs(html)).toContain('/events?kind=charge.*');
  expect(textOf((await visit.open('/', PORTUGUESE)).html)).toContain('charge.* está em atraso');
});

it('a silence names the source and the usual number, and leads to what came last', async () => {
  const lastAt = visit.setup.clock.now() - 5 * HOUR_MS;
  visit.setup.observation = {
    quiet: [],
    problems: [
      {
        ...{ problem: 'silence', of: 'default', since: lastAt, summary: 'silent', remedy: 'look' },
        facts: { about: 'silence', source: 'default', kind: null, lastAt, expected: 41.7, unasked: null },
      },
    ],
  };
  const { html } = await visit.open('/', PORTUGUESE);
  expect(textOf(html)).toContain(
    'Nada chegou da origem default: o último evento chegou há 5 h, e o normal neste tempo é 42 ou mais.',
  );
  expect(hrefs(html)).toEqual(['/senders#arrivals']);
});

describe('a store that has moved to another server', () => {
  it.each([
    [{ differs: 'cluster' }, 'it is in another cluster', 'está em outro cluster'],
    [{ differs: 'database' }, 'it is another database of the cluster', 'é outro banco de dados do cluster'],
    [{ differs: 'tables' }, 'its tables were created anew', 'as tabelas foram criadas de novo'],
    [
      { differs: 'timeline', known: 1, here: 2 },
      'it is on timeline 2 instead of 1',
      'está na linha do tempo 2 em vez da 1',
    ],
  ] as const)('is a sentence in both languages with what to do: %j', async (move, english, portuguese) => {
    visit.setup.observation = { quiet: [], problems: [...findMovedServer(move)] };
    const [inEnglish, inPortuguese] = [await visit.open('/'), await visit.open('/', PORTUGUESE)];
    expect(textOf(inEnglish.html)).toContain(
      `The database was restored, moved or has failed over since it was last known: ${english}. If acknowledged events may be lost, stop every process and run portaria store renew-id,`,
    );
    expect(textOf(inPortuguese.html)).toContain(
      `O banco de dados foi restaurado, mudou de lugar ou passou por um failover desde que foi reconhecido pela última vez: ${portuguese}. Se eventos confirmados podem ter se perdido,`,
    );
    for (const { html } of [inEnglish, inPortuguese])
      expect(textOf(html)).toContain('portaria store renew-id --keep-id');
    expect(hrefs(inEnglish.html)).toEqual(['/system']);
  });
});

it('what the store shows to be over is left out before the watch looks again', async () => {
  await watch([{ pattern: 'charge.*', withinMs: HOUR_MS }]);
  visit.setup.clock.advance(DAY_MS);
  await watch([{ pattern: 'charge.*', withinMs: HOUR_MS }]);
  expect(textOf((await visit.open('/')).html)).toContain('No event of charge.* has ever arrived');
  await visit.setup.receive(webhook('charge.updated', { id: 7 }));
  await visit.setup.settle();
  expect(textOf((await visit.open('/')).html)).toContain('Nothing needs you');

  const facts = { about: 'unregistered-handlers', handler: 'gone', pending: 3 } as const;
  const problem = {
    problem: facts.about,
    of: 'gone',
    since: null,
    summary: 'waits',
    remedy: 'discard',
    facts,
  };
  visit.setup.observation = { quiet: [], problems: [problem] };
  expect(textOf((await visit.open('/')).html)).toContain('Nothing needs you');
});

it('a problem that the pages do not know is told as the command line tells it', async () => {
  visit.setup.observation = {
    quiet: [],
    problems: [
      { problem: 'silence', of: null, since: null, summary: 'it is late', remedy: 'look at the clock' },
    ],
  };
  const { html } = await visit.open('/', PORTUGUESE);
  expect(html).toContain('<span class="note">Look at the clock.</span></span>');
});
