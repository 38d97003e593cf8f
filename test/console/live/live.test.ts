import { describe, expect, it, vi } from 'vitest';
import { EventEmitter } from 'node:events';
import { BEAT_MS, MAX_STREAMS, PATIENCE_MS } from '../../../src/console/live/live-stream.ts';
import { LOOK_MS, MAX_ROWS } from '../../../src/console/live/live-window.ts';
import { eventually } from '../../support/eventually.ts';
import { webhook } from '../kit/console-browser.ts';
import { liveVisits } from '../kit/live-visit.ts';

const live = liveVisits();
const { open, receive, send, has } = live;

describe('the stream of the live page', () => {
  it('sends the row of an event when it is stored, and its outcome when that is known', async () => {
    live.visit.setup.failing = true;
    const tab = await open();
    const [id = ''] = await receive(1, 'charge.updated');
    send();
    await has(tab, [id]);
    expect(tab.outcome(id)).toMatch(/waiting|running|failed/u);
    await live.visit.setup.settle();
    send();
    await eventually('the outcome is there', () => tab.outcome(id) === '1 of 2 failed');
    expect(tab.rows()).toEqual([id]);
    expect(tab.lastId()).toBe(id);
  });

  it('sends a webhook that is held in quarantine, among the events', async () => {
    const tab = await open();
    await live.visit.setup.receive(webhook('charge.updated', { id: 7, amount: 'twelve' }));
    live.visit.setup.clock.advance(LOOK_MS);
    send();
    await eventually('the row is there', () => tab.rows().includes('q1'));
    expect(tab.outcome('q1')).toBe('quarantined');
    const [id = ''] = await receive(1);
    send();
    await has(tab, [id]);
    expect(tab.rows()).toEqual(['q1', id]);
    const others = await open('?verdict=new');
    send();
    await eventually('the stream is open', () => others.messages.length > 0);
    expect(others.rows()).toEqual([]);
  });

  it('renders rows in the language of the visitor', async () => {
    const tab = await open('', { headers: { 'accept-language': 'pt-BR' } });
    const [id = ''] = await receive(1);
    send();
    await has(tab, [id]);
    expect(tab.outcome(id)).toBe('sem handler');
  });

  it('reads the store for all clients at once', async () => {
    for (let each = 0; each < 5; each += 1) await open();
    const events = vi.spyOn(live.visit.setup.store, 'events');
    const outcomes = vi.spyOn(live.visit.setup.store, 'deliveriesOf');
    const ids = await receive(20, 'charge.updated');
    await live.visit.setup.settle();
    send();
    for (const tab of live.tabs)
      await eventually('all outcomes are there', () =>
        ids.every((id) => tab.outcome(id) === '2 of 2 succeeded'),
      );
    expect(events.mock.calls.length).toBeLessThan(5);
    expect(outcomes.mock.calls.length).toBeLessThan(5);
  });

  it.each(['<script>alert(1)</script>', '<hx-partial hx-target="body">', '"><img src=x>'])(
    'has text of senders as text: %j',
    async (naughty) => {
      const tab = await open();
      await live.visit.setup.receive({ type: `x.${naughty}`, data: { id: naughty } });
      send();
      await eventually('the row is there', () => tab.rows().length === 1);
      const rows = tab.messages.find(({ event }) => event === 'rows')?.data ?? '';
      expect(rows).not.toMatch(/<script|<img|="body"/u);
      expect(tab.messages.filter(({ event }) => event === 'beat')).toHaveLength(1);
    },
  );

  it('shows that it is alive while nothing comes', async () => {
    const tab = await open();
    live.visit.setup.clock.advance(BEAT_MS);
    await eventually('a beat', () => tab.messages.some(({ event }) => event === 'beat'));
  });

  it('says how many events came faster than it shows them', async () => {
    const tab = await open('?kind=company.*');
    const ids = await receive(MAX_ROWS + 20);
    send();
    await has(tab, ids.slice(-MAX_ROWS));
    expect(tab.rows()).toEqual(ids.slice(-MAX_ROWS));
    await eventually('the gap is said', () =>
      tab.messages.some(({ data }) => data.includes('20 events are')),
    );
    expect((await live.visit.open('/live?kind=company.*')).html).toContain('href="/events?kind=company.*"');
  });
});

describe('a client that comes back', () => {
  it('gets what it missed after Last-Event-ID, once and in order', async () => {
    const before = await receive(3);
    const first = await open(`?after=${before[2] ?? ''}`);
    const seen = await receive(2);
    send();
    await has(first, seen);
    await first.close();
    const missed = await receive(4);
    const second = await open('?after=0', { headers: { 'last-event-id': first.lastId() } });
    expect(second.rows()).toEqual(missed);
    expect(second.lastId()).toBe(missed.at(-1));
  });

  it('gets what came while the store was read, once', async () => {
    const before = await receive(1);
    await open();
    const gate = Promise.withResolvers<undefined>();
    const read = live.visit.setup.store.events.bind(live.visit.setup.store);
    vi.spyOn(live.visit.setup.store, 'events').mockImplementationOnce(async (...query) => {
      const found = await read(...query);
      await gate.promise;
      return found;
    });
    const opening = open(`?after=${before[0] ?? ''}`);
    const meanwhile = await receive(3);
    send();
    gate.resolve(undefined);
    const tab = await opening;
    const after = await receive(1);
    send();
    await has(tab, [...meanwhile, ...after]);
    expect(tab.rows()).toEqual([...meanwhile, ...after]);
  });

  it('learns what became of the rows that it shows', async () => {
    const [id = ''] = await receive(1, 'charge.updated');
    await live.visit.setup.settle();
    const tab = await open(`?after=${id}`);
    expect(tab.rows()).toEqual([]);
    expect(tab.outcome(id)).toBe('2 of 2 succeeded');
  });

  it('gets 100 rows at most, and the number of the others', async () => {
    const [first = ''] = await receive(1);
    const missed = await receive(130);
    const tab = await open('', { headers: { 'last-event-id': first } });
    expect(tab.rows()).toEqual(missed.slice(-100));
    expect(tab.messages.map(({ data }) => data).join('')).toContain('30 events are not shown');
  });

  it('begins with what comes next if its last event is of another database', async () => {
    await receive(2);
    const tab = await open('', { headers: { 'last-event-id': 'zzzzzz-900' } });
    expect(tab.rows()).toEqual([]);
    const next = await receive(1);
    send();
    await has(tab, next);
  });

  it.each(['"><script>', '1 or 1', '-1', ''])('begins anew with the last event %j', async (last) => {
    await receive(1);
    const tab = await open('', { headers: { 'last-event-id': last } });
    expect([tab.status, tab.rows()]).toEqual([200, []]);
  });
});

describe('filters', () => {
  it.each([
    ['?kind=charge.*', ['charge']],
    ['?kind=company.created', ['company', 'other']],
    ['?source=other', ['other']],
    ['?subject=company', ['company', 'other']],
    ['?subject=charge:7', ['charge']],
    ['?subject=charge:8', []],
    ['?verdict=new', ['charge', 'company', 'other']],
    ['?verdict=stale', []],
    ['?kind=charge.*&source=other', []],
  ])('%s selects in the page and in the stream', async (query, wanted) => {
    const ids = new Map<string, string>();
    const receiveAll = async () => {
      for (const [name, body, source] of [
        [
          'charge',
          webhook('charge.updated', { id: 7, status: 'paid', description: String(ids.size) }),
          'default',
        ],
        ['company', webhook('company.created', { id: 12 + ids.size }), 'default'],
        ['other', webhook('company.created', { id: 13 + ids.size }), 'other'],
      ] as const) {
        const receipt = await live.visit.setup.receive(body, { source });
        ids.set('id' in receipt ? (receipt.id ?? '') : '', name);
      }
    };
    const tab = await open(query);
    await receiveAll();
    send();
    await eventually('the rows are there', () => tab.rows().length === wanted.length);
    expect(tab.rows().map((id) => ids.get(id))).toEqual(wanted);
    const { html } = await live.visit.open(`/live${query}`);
    const shown = [...html.matchAll(/<tr id="e-([^"]+)"/gu)].map(([, id]) => ids.get(id ?? ''));
    expect(shown.toReversed()).toEqual(wanted);
  });

  it('are in the form, in the address of the stream, and in the link to the list', async () => {
    const { html } = await live.visit.open('/live?kind=charge.*&subject=charge&verdict=new');
    expect(html).toContain('name="kind" value="charge.*"');
    expect(html).toContain(
      'data-stream="/live/stream?kind=charge.*&amp;subject=charge&amp;verdict=new&amp;after=0"',
    );
    expect(html).toContain('No webhook has arrived yet');
    await receive(1);
    expect((await live.visit.open('/live?kind=charge.*')).html).toContain(
      'None of the newest 1,000 events matches',
    );
  });
});

describe('limits', () => {
  it('drops a client that does not read, which resumes without a loss', async () => {
    const slow = await open('', { reads: false });
    const reads = await open();
    const all = await receive(3);
    send();
    await has(reads, all);
    const isDropped = () =>
      live.visit.setup.logged.some(({ message }) => message.includes('reads too slowly'));
    live.visit.setup.clock.advance(PATIENCE_MS - 1_000);
    await eventually('a beat', () => reads.messages.filter(({ event }) => event === 'beat').length === 2);
    expect([slow.status, isDropped()]).toEqual([200, false]);
    live.visit.setup.clock.advance(1_000);
    expect([isDropped(), reads.hasEnded()]).toEqual([true, false]);
    const again = await open('', { headers: { 'last-event-id': all[0] ?? '' } });
    expect(again.rows()).toEqual(all.slice(1));
  });

  it('rejects the 51st stream with a reason and a time, until one ends', async () => {
    for (let each = 0; each < MAX_STREAMS.all; each += 1) await open();
    const more = await live.visit.open('/live/stream');
    expect([more.status, more.headers.get('retry-after')]).toEqual([503, '30']);
    expect(more.html).toBe(
      'Too many live pages are open: 50 in all, or 10 of yours. Close one, or try again later.',
    );
    await live.tabs[0]?.close();
    expect((await open()).status).toBe(200);
  });

  it('answers HEAD without a stream', async () => {
    for (let each = 0; each <= MAX_STREAMS.all; each += 1) {
      const head = await live.visit.setup.request('http://127.0.0.1:9090/live/stream', {
        method: 'HEAD',
        headers: { host: '127.0.0.1:9090' },
      });
      expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    }
    expect((await open()).status).toBe(200);
  });

  it.each(['end', 'close'])('frees the place of a client whose connection has its %s', async (event) => {
    const connection = Object.assign(new EventEmitter(), { destroyed: false });
    live.visit.setup.connection = connection;
    const tab = await open();
    connection.emit(event);
    await eventually('the stream ends', () => tab.hasEnded());
    expect([connection.listenerCount('end'), connection.listenerCount('close')]).toEqual([0, 0]);
  });

  it.each([{ destroyed: true }, { readableEnded: true }])(
    'keeps no place for a client that went before its stream began: %j',
    async (state) => {
      live.visit.setup.connection = Object.assign(new EventEmitter(), state);
      for (let each = 0; each <= MAX_STREAMS.all; each += 1) {
        const tab = await open();
        expect([tab.status, tab.hasEnded()]).toEqual([200, true]);
      }
    },
  );

  it('ends all streams when the process stops, and opens none', async () => {
    const tab = await open();
    live.visit.setup.feed.close();
    await eventually('the stream ends', () => tab.hasEnded());
    expect((await open()).hasEnded()).toBe(true);
  });

  it('ends a stream that cannot be filled, and says why in the log', async () => {
    vi.spyOn(live.visit.setup.store, 'events').mockRejectedValueOnce(new Error('disk is gone'));
    const tab = await open();
    await eventually('the stream ends', () => tab.hasEnded());
    expect(live.visit.setup.logged).toMatchObject([
      {
        level: 'error',
        message: 'a live page could not be filled',
        fields: { reason: expect.stringContaining('disk is gone') },
      },
    ]);
  });
});

it('shows an event whose outcome could not be read at first, and says why in the log', async () => {
  const tab = await open();
  vi.spyOn(live.visit.setup.store, 'deliveriesOf').mockRejectedValueOnce(new Error('disk is gone'));
  const ids = await receive(1);
  send();
  const says = 'the events for live pages could not be read';
  await eventually('the log says so', () => live.visit.setup.logged.some(({ message }) => message === says));
  expect([tab.rows(), tab.hasEnded()]).toEqual([[], false]);
  live.visit.setup.clock.advance(LOOK_MS);
  await has(tab, ids);
});

describe('the live page without JavaScript', () => {
  it('has the newest rows with their outcomes, and a link that loads it again', async () => {
    const ids = await receive(2, 'charge.updated');
    await live.visit.setup.settle();
    const { html } = await live.visit.open('/live?kind=charge.*');
    expect([...html.matchAll(/<tr id="e-([^"]+)"/gu)].map(([, id]) => id)).toEqual(ids.toReversed());
    expect(html.match(/2 of 2 succeeded/gu)).toHaveLength(2);
    expect(html).toMatch(/<noscript>.*<a href="\/live\?kind=charge\.\*">Load it again<\/a>.*<\/noscript>/u);
  });
});
