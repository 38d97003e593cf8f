import { afterEach, describe, expect, it } from 'vitest';
import { paymentSlip } from '../../handlers/payment-slip.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { textOf } from '../support/page-text.ts';
import { visitConsole, webhook, type Visit } from './kit/console-browser.ts';

let visit: Visit;

afterEach(() => visit.close());

async function open(...definitions: readonly Parameters<typeof defineMachine>[0][]): Promise<void> {
  visit = await visitConsole({
    definitions: [paymentSlip(), ...definitions.map((each) => defineMachine(each))],
  });
}

/** Sends the statuses of a slip, each with the hour at which it changed. */
async function slip(id: number, ...statuses: readonly (readonly [hour: number, status: string])[]) {
  for (const [hour, status] of statuses) {
    const updated_at = `2026-11-20T${String(hour).padStart(2, '0')}:00:00Z`;
    await visit.setup.receive(webhook('charge.payment-slip.updated', { id, status, updated_at }));
  }
  await visit.setup.settle();
}

/** The boxes of a diagram: phase and what stands below it. */
function boxesOf(html: string): readonly string[] {
  return [...html.matchAll(/class="(box[^"]*)"[^>]*><title>([^<]*)<\/title>/gu)].map(
    ([, name, title]) => `${name ?? ''} | ${title ?? ''}`,
  );
}

describe('the list of machines', () => {
  it('says what each follows, and how many subjects are in each state', async () => {
    await open();
    await slip(1, [10, 'pending'], [11, 'issued']);
    await slip(2, [10, 'pending']);
    await slip(3, [10, 'pending'], [11, 'issued'], [12, 'pending']);
    const text = textOf((await visit.open('/machines')).html);
    expect(text).toMatch(/payment-slip traffic-violation\.ticket\.\*, .* 3 pending 2 issued 1 1 /u);
  });

  it('has machines of other processes, which stored states here', async () => {
    await open();
    await slip(1, [10, 'pending']);
    const [event] = await visit.setup.store.events({}, { order: 'oldest', limit: 1 });
    const commit = { machine: 'elsewhere', state: { status: 'on' }, version: null, revision: 0 } as const;
    await visit.setup.store.commitMachine(
      'default',
      { family: 'charge-payment-slip', id: '1' },
      { ...commit, lastEventId: event?.id ?? '', anomalies: [], refolded: false, effects: [] },
      0,
    );
    expect(textOf((await visit.open('/machines')).html)).toContain('elsewhere not of this process');
    const { status, html } = await visit.open('/machines/elsewhere');
    expect(status).toBe(200);
    expect(textOf(html)).toContain('This process does not define the machine');
    expect(html).toContain('href="/machines/elsewhere/charge-payment-slip%3A1"');
    const subject = await visit.open('/machines/elsewhere/charge-payment-slip%3A1');
    expect(textOf(subject.html)).toContain('its way is not known here');
  });
});

describe('the page of a machine', () => {
  it('draws the table of moves with the number of subjects in each state, and says it in words', async () => {
    await open();
    await slip(1, [10, 'pending'], [11, 'issued']);
    await slip(2, [10, 'pending']);
    const { html } = await visit.open('/machines/payment-slip');
    expect(boxesOf(html).toSorted()).toEqual([
      'box | failed',
      'box | issued: 1 subject',
      'box | none',
      'box | pending: 1 subject',
      'box | rejected',
      'box | requested',
    ]);
    expect(html.match(/<g class="arrow"><title>/gu)).toHaveLength(8);
    expect(html).toContain('<title>pending to issued on issued</title>');
    expect(html).toContain('class="box" href="/machines/payment-slip?phase=issued"');
    expect(textOf(html)).toContain('none (start) pending pending pending requested requested');
  });

  it('lists the subjects of a state, those with anomalies, and all of them, by pages', async () => {
    await open();
    for (let id = 1; id <= 15; id += 1) await slip(id, [10, 'pending']);
    await slip(99, [10, 'issued'], [11, 'pending']);
    const shown = async (path: string) =>
      [
        ...(await visit.open(path)).html.matchAll(
          /<td[^>]*><div><a href="\/machines\/payment-slip\/[^"]*%3A(\d+)"/gu,
        ),
      ].map(([, id]) => Number(id));
    const first = await visit.open('/machines/payment-slip?phase=pending');
    const next = /href="([^"]+)" rel="next"/u.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(next).toContain('phase=pending');
    expect(await shown(next)).toEqual([11, 12, 13, 14, 15, 99, 99]);
    expect(await shown('/machines/payment-slip?phase=issued')).toEqual([99]);
    expect(await shown('/machines/payment-slip?anomalous=true')).toEqual([99, 99]);
    expect(textOf(first.html)).toContain('issued became pending');
  });

  it('says so when there is no table, no state to count by, or no such machine', async () => {
    await open({
      name: 'shapeless',
      on: 'charge.payment-slip.*',
      initial: { seen: 0 },
      evolve: ({ seen }: { readonly seen: number }) => ({ seen: seen + 1 }),
    } as never);
    await slip(1, [10, 'pending']);
    const text = textOf((await visit.open('/machines/shapeless')).html);
    expect(text).toContain('The machine has no table of moves.');
    expect(text).toContain('No state has a member phase, status or session');
    expect(text).toContain('charge-payment-slip:1');
    const missing = await visit.open('/machines/none');
    expect([missing.status, textOf(missing.html).includes('There is no machine none')]).toEqual([404, true]);
  });

  it('shows a state that the table lacks, masked where it looks like personal data', async () => {
    await open();
    await slip(1, [10, 'pending'], [11, 'waiting for 529.982.247-25']);
    const { html } = await visit.open('/machines/payment-slip');
    expect(textOf(html)).toContain('waiting for <cpf> 1 not in the table');
    expect(textOf((await visit.open('/machines/payment-slip?unmask=true')).html)).toContain(
      'waiting for 529.982.247-25 1 not in the table',
    );
    for (const path of [
      '/machines/payment-slip/charge-payment-slip%3A1',
      '/subjects/charge-payment-slip%3A1',
    ]) {
      const masked = textOf((await visit.open(path)).html);
      expect(masked, path).toContain('waiting for <cpf>');
      // The payload's own masking decides about the field status, which is not personal.
      expect(masked.replaceAll('"waiting for 529.982.247-25"', ''), path).not.toContain('529.982.247-25');
      expect(textOf((await visit.open(`${path}?unmask=true`)).html), path).toContain(
        'waiting for 529.982.247-25',
      );
    }
  });
});

describe('the page of a subject on a machine', () => {
  it('has its way in the order of versions, whatever the order of arrival, and its present state', async () => {
    await open();
    await slip(1, [10, 'pending'], [12, 'issued'], [11, 'requested']);
    const { html } = await visit.open('/machines/payment-slip/charge-payment-slip%3A1');
    expect(textOf(html)).toContain('It is issued now.');
    expect([...html.matchAll(/<li class="[^"]*"><p><b class="mono">([^<]*)/gu)].map(([, to]) => to)).toEqual([
      'pending',
      'requested',
      'issued',
    ]);
    expect(boxesOf(html).toSorted()).toEqual([
      'box passed | none',
      'box passed | pending',
      'box passed | requested',
      'box present | issued: is here',
      'box | failed',
      'box | rejected',
    ]);
    expect(html.match(/class="arrow made"/gu)).toHaveLength(3);
    expect(html).not.toContain('class="arrow made jump"');
  });

  it('draws a move that the table lacks, with the anomaly beside its event', async () => {
    await open();
    await slip(1, [10, 'pending'], [11, 'issued'], [12, 'pending']);
    const { html } = await visit.open('/machines/payment-slip/charge-payment-slip%3A1');
    expect(html).toContain('<title>issued to pending: not in the table of moves</title>');
    expect(html.match(/class="arrow made jump"/gu)).toHaveLength(1);
    expect(textOf(html)).toMatch(/pending charge\.payment-slip\.updated [^.]* issued became pending/u);
    const portuguese = await visit.open('/machines/payment-slip', { 'accept-language': 'pt-BR' });
    expect(textOf(portuguese.html)).toContain('issued virou pending');
  });

  it('lets one choose the source when several have the subject', async () => {
    await open();
    const body = webhook('charge.payment-slip.updated', { id: 1, status: 'pending' });
    await visit.setup.receive(body);
    await visit.setup.receive(body, { source: 'other' });
    await visit.setup.settle();
    const { html } = await visit.open('/machines/payment-slip/charge-payment-slip%3A1');
    expect(html).toContain('href="/machines/payment-slip/charge-payment-slip%3A1?source=other"');
    const other = await visit.open('/machines/payment-slip/charge-payment-slip%3A1?source=other');
    expect(textOf(other.html)).toContain('Source other');
  });

  it('says that there is no such state', async () => {
    await open();
    for (const path of ['/machines/payment-slip/company:1', '/machines/payment-slip/nothing'])
      expect((await visit.open(path)).status).toBe(404);
  });
});

it.each([
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></svg><svg/onload=alert(1)>',
  'javascript:alert(1)',
  '\u202Egnp.exe',
  '🔥'.repeat(40),
])('states and signals are text and never markup: %s', async (naughty) => {
  await open({
    name: 'naughty',
    on: 'charge.payment-slip.*',
    initial: { status: 'none' },
    evolve: () => ({ status: naughty }),
    anomalies: () => [naughty],
    table: {
      initial: 'none',
      transitions: [
        { from: 'none', on: naughty, to: naughty },
        { from: naughty, on: naughty, to: `to ${naughty}` },
        { from: naughty, on: 'again', to: naughty },
      ],
    },
  } as never);
  await slip(1, [10, naughty]);
  for (const path of [
    '/machines',
    '/machines/naughty?unmask=true',
    '/machines/payment-slip?unmask=true',
    `/machines/naughty?phase=${encodeURIComponent(naughty)}`,
    '/machines/naughty/charge-payment-slip%3A1?unmask=true',
    '/machines/payment-slip/charge-payment-slip%3A1?unmask=true',
    '/subjects/charge-payment-slip%3A1?unmask=true',
  ]) {
    const { status, html } = await visit.open(path);
    expect(status, path).toBe(200);
    expect(html, path).not.toMatch(/<script>|<img|<svg\/|onmouseover='|href="javascript:/u);
    // Each script is a file of the console.
    expect(html.match(/<script/gu), path).toHaveLength(html.match(/<script src="\/assets\//gu)?.length ?? -1);
  }
});
