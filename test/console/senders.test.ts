/** The page of the provider's records. */
import { expect, test } from 'vitest';
import { textOf } from '../support/page-text.ts';
import { visitConsole } from './kit/console-browser.ts';
import { fillConsole } from './kit/filled-console.ts';

test('shows each family as of its last look, what differs, and what the quarantine holds of it', async () => {
  const visit = await visitConsole();
  const empty = textOf((await visit.open('/senders')).html);
  expect(empty).toContain('Nothing was compared yet. With PORTARIA_RECONCILE=report');
  await fillConsole(visit);
  const { html } = await visit.open('/senders');
  expect(html).toContain('<a href="/subjects/charge%3A7">charge:7</a>');
  expect(html).toContain('<a href="/quarantine/q1">q1</a>');
  expect(html, 'a subject without events has no page').not.toContain('/subjects/charge%3A99');
  const [, plan = ''] = /href="(\/plan\?[^"]+)"/u.exec(html) ?? [];
  expect(textOf((await visit.open(plan.replaceAll('&amp;', '&'))).html)).toContain('Repair 2 subjects?');
  const text = textOf(html);
  expect(text).toMatch(/Senders Webhooks that were rejected/u);
  expect(text).toMatch(/charge .+ 8 3 /u);
  expect(text).toMatch(/charge:7 behind the provider's record status, due_date .+ –/u);
  expect(text).toMatch(/charge:99 missed: no webhook of it came – .+ q1/u);
  expect(text).toContain('1 more subject not listed');
  const portuguese = await visit.open('/senders', { 'accept-language': 'pt-BR' });
  expect(textOf(portuguese.html)).toContain('charge:99 perdido: nenhum webhook dele chegou');
  await visit.close();
});
