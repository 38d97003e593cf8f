import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { english } from '../../src/console/language/words.ts';
import { extendContract } from '../../src/handle/kinds/extend-contract.ts';
import { defineKind } from '../../src/handle/kinds/kind-definition.ts';
import { defineSource } from '../../src/handle/kinds/source-definition.ts';
import { visitConsole, type Visit } from './kit/console-browser.ts';
import { textOf } from '../support/page-text.ts';

let visit: Visit;

afterEach(() => visit.close());

/** The body in the form of a kind's page; null without a form. */
function offered(html: string): string | null {
  const text = /<textarea name="body"[^>]*>([^<]*)<\/textarea>/u.exec(html)?.[1];
  return text === undefined ? null : textOf(text);
}

describe('the contract', () => {
  it('lists every kind by its subject, with who handles it', async () => {
    visit = await visitConsole();
    const text = textOf((await visit.open('/contract')).html);
    expect(text).toContain('32 kinds of events that this process knows. 4 have a handler');
    expect(text).toContain(
      'charge charge.created Charge created → billing charge.updated Charge updated → billing, charge-status',
    );
    expect(text).toContain('company company.created Company created company.updated');
  });

  it('is downloaded as AsyncAPI, with a sample of each kind', async () => {
    visit = await visitConsole();
    const { headers, html } = await visit.open('/contract/asyncapi.json');
    expect(headers.get('content-type')).toContain('application/json');
    expect(headers.get('content-disposition')).toBe('attachment; filename="portaria-asyncapi.json"');
    const { asyncapi, info, components } = JSON.parse(html) as {
      readonly asyncapi: string;
      readonly info: { readonly version: string };
      readonly components: { readonly messages: Record<string, { readonly examples?: readonly unknown[] }> };
    };
    expect([asyncapi, info.version]).toEqual(['3.0.0', '1.2.3']);
    expect(Object.keys(components.messages)).toHaveLength(32);
    expect(components.messages['charge.updated']?.examples).toHaveLength(1);
  });

  it('says of a kind what orders its events, which fields it has, and what they hold', async () => {
    visit = await visitConsole();
    const company = textOf((await visit.open('/contract/company.updated')).html);
    expect(company).toContain('Section Resources, Company');
    expect(company).toContain('Version Ordered by data.updated_at');
    expect(company).toMatch(/Its subject is company:\d+, its version \d{4}-/u);
    expect(company).toContain('id integer required Unique id of the company.');
    expect(company).toContain('tax_id string or null optional personal CNPJ, without punctuation.');
    expect(company).toContain(
      'certificate.status string or null optional Whether it can be used. Values: valid, expired, not_provided (others are accepted and flagged)',
    );
    const charge = textOf((await visit.open('/contract/charge.updated')).html);
    expect(charge).toContain('Version No field orders its events: arrival does');
    expect(charge).toContain('Handlers billing, charge-status');
  });

  it('knows the kinds and sources of handlers files, apart from those of the same name', async () => {
    const paid = defineKind('invoice.paid', {
      schema: z.object({
        number: z.string(),
        lines: z.array(z.object({ label: z.enum(['a', 'b']), net: z.number().optional() })),
      }),
      subject: { family: 'invoice', id: ({ number }) => number },
      version: ({ number }) => Number(number),
      personal: ['lines'],
      title: 'Invoice paid',
      example: { number: '7', lines: [{ label: 'a' }] },
    });
    const other = defineKind('invoice.paid', { schema: z.object({ id: z.int() }) });
    const erp = defineSource('erp', { envelope: { type: 'event', data: 'payload' }, kinds: [other] });
    visit = await visitConsole({
      contract: extendContract({
        kinds: [{ definition: paid, file: '/srv/secret-folder/invoices.ts' }],
        sources: [{ definition: erp, file: '/srv/secret-folder/erp.ts' }],
      }),
      samples: true,
    });
    const list = await visit.open('/contract');
    expect(textOf(list.html)).toContain('invoice invoice.paid Invoice paid invoices.ts');
    expect(list.html).toContain('href="/contract/invoice.paid?source=erp"');

    const own = await visit.open('/contract/invoice.paid');
    const text = textOf(own.html);
    expect(text).toContain('Defined by invoices.ts');
    expect(own.html).not.toContain('secret-folder');
    expect(text).toContain('Ordered by the function version of its definition');
    expect(text).toContain('Its subject is invoice:7, its version');
    expect(text).toContain('lines[] list of object required personal');
    expect(text).toContain('lines[].label string required Values: a, b');
    expect(own.html).toContain('href="/contract/invoice.paid?source=erp"');

    const erps = await visit.open('/contract/invoice.paid?source=erp');
    expect(textOf(erps.html)).toContain('Source erp');
    const sent = await visit.send(
      '/contract/invoice.paid/send?source=erp',
      { body: offered(erps.html) ?? '' },
      { from: '/contract/invoice.paid?source=erp' },
    );
    expect(textOf(sent.html)).toMatch(/Source erp .* It was stored as the event [0-9a-z]+-1 /u);
    const [event] = await visit.setup.store.events({}, { order: 'newest', limit: 1 });
    expect(event).toMatchObject({ source: 'erp', kind: 'invoice.paid', flags: ['sample'] });
  });

  it('has no page of a kind that it lacks', async () => {
    visit = await visitConsole();
    const { status, html } = await visit.open('/contract/company.exploded');
    expect([status, textOf(html).includes('The contract has no kind company.exploded')]).toEqual([404, true]);
  });

  it('shows names of kinds and fields, titles, values and samples as text', async () => {
    const naughty = `<script>alert(1)</script> "><img src=x onerror=alert(1)> ' onmouseover='alert(1) \u202Egnp`;
    const kind = defineKind(`x.${naughty}`, {
      schema: z.object({
        id: z.string(),
        [naughty]: z.enum([naughty, 'other']).describe(naughty),
      }),
      title: naughty,
      description: naughty,
      example: { id: naughty, [naughty]: naughty },
    });
    visit = await visitConsole({
      contract: extendContract({ kinds: [{ definition: kind, file: `/x/${naughty}.ts` }], sources: [] }),
      samples: true,
    });
    const address = `/contract/${encodeURIComponent(`x.${naughty}`)}`;
    for (const path of ['/contract', address]) {
      const { status, html } = await visit.open(path);
      expect(status, path).toBe(200);
      expect(html, path).not.toMatch(/<script>|<img|onmouseover='|href="javascript:/u);
      // Each script is a file of the console.
      expect(html.match(/<script/gu), path).toHaveLength(
        html.match(/<script src="\/assets\//gu)?.length ?? -1,
      );
    }
  });
});

describe('a sample', () => {
  const path = '/contract/charge.updated';
  const send = (fields: Readonly<Record<string, string>>, kind = path) =>
    visit.send(`${kind}/send`, fields, { from: kind });
  const stored = () => visit.setup.store.events({}, { order: 'newest', limit: 10 });

  it('is not sent unless that is allowed, and the page says why', async () => {
    visit = await visitConsole();
    const { html } = await visit.open(path);
    expect(offered(html)).toBeNull();
    expect(textOf(html)).toContain('PORTARIA_SAMPLES=true allows it');
    await visit.send(`${path}/send`, { body: '{}' });
    expect(await stored()).toEqual([]);
  });

  it('takes the way of a webhook, has an id that no record has, and a flag that says what it is', async () => {
    visit = await visitConsole({ samples: true });
    const { html } = await visit.open(path);
    expect(textOf(html)).toContain('portaria send charge.updated --set data.id=0');
    const sent = await send({ body: offered(html) ?? '', source: 'default' });
    await visit.setup.settle();
    const [event] = await stored();
    expect(event).toMatchObject({
      kind: 'charge.updated',
      subject: { family: 'charge', id: '0' },
      flags: ['sample'],
      verdict: 'new',
    });
    const delivery = await visit.setup.store.event(event?.id ?? '');
    expect(delivery?.headers['user-agent']).toBe('portaria-sample/1.2.3');
    expect(textOf(sent.html)).toContain(`It was stored as the event ${event?.id ?? '?'}`);
    expect(
      await visit.setup.store.deliveries({ eventId: event?.id ?? '' }, { order: 'oldest', limit: 9 }),
    ).toHaveLength(2);

    const again = await send({ body: offered(html) ?? '', source: 'default' });
    expect(textOf(again.html)).toContain(english.contract.outcomes.duplicate);
    expect(await stored()).toHaveLength(1);
  });

  it('is signed for a source that verifies its sender', async () => {
    visit = await visitConsole({ samples: true });
    const { html } = await visit.open(path);
    expect(html).toContain('<option value="signed">signed</option>');
    const sent = await send({ body: offered(html) ?? '', source: 'signed' });
    expect(sent.html).toContain('<option value="signed" selected="">signed</option>');
    const [event] = await stored();
    expect(event).toMatchObject({ source: 'signed', messageIdTrusted: true });
  });

  it('goes to quarantine when it is no valid event', async () => {
    visit = await visitConsole({ samples: true });
    for (const body of ['{"type":"charge.updated","data":{"id":"x"}}', 'no json', '']) {
      const { html } = await send({ body, source: 'default' });
      expect(offered(html), 'what was typed').toBe(body);
      expect(textOf(html)).toMatch(/held in quarantine as q\d+/u);
    }
    expect(await stored()).toEqual([]);
  });

  it('is refused for a source that is not configured', async () => {
    visit = await visitConsole({ samples: true });
    const { status, html } = await send({ body: '{}', source: 'nobody' });
    expect([status, textOf(html).includes('No source is named "nobody"')]).toEqual([404, true]);
    expect(await stored()).toEqual([]);
  });

  it('is not sent while the process accepts no webhooks', async () => {
    visit = await visitConsole({ samples: true });
    visit.setup.reasons = ['stopping'];
    const { html } = await send({ body: '{}', source: 'default' });
    expect(textOf(html)).toContain(english.contract.outcomes.notReady);
    expect(await stored()).toEqual([]);
  });

  it('needs the permission to operate, checked on the server, and is reported', async () => {
    visit = await visitConsole({ samples: true, token: 'all'.repeat(8), viewToken: 'view'.repeat(8) });
    await visit.send('/sign-in', { token: 'view'.repeat(8) }, { from: '/sign-in' });
    const { html } = await visit.open(path);
    expect(offered(html)).toBeNull();
    expect(textOf(html)).toContain('Sending a sample needs the permission operate.');
    const { status } = await visit.send(`${path}/send`, { body: '{}' }, { from: '/events' });
    expect(status).toBe(403);
    expect(await stored()).toEqual([]);
    const logged = visit.setup.logged.map((entry) => JSON.stringify(entry));
    expect(logged.some((line) => line.includes('sendSample') || line.includes('authenticate'))).toBe(true);
  });
});
