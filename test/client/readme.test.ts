/** The client's example in docs/provider-and-client.md compiles, and works against a real provider. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { addCharge } from '../../provider/charges/change-charge.ts';
import { cnpjs } from '../../provider/test/people.ts';
import { openClientSetup } from './client-setup.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the document shows the example', () => {
  const [, ...example] = read('readme-example.ts').split('\n');

  expect(read('../../docs/provider-and-client.md')).toContain(['```ts', ...example].join('\n').concat('```'));
});

test('the example creates a company, and requests a slip for each unpaid charge', async () => {
  const { client, provider, app, ours } = await openClientSetup();
  const { id } = await client.companies.create({
    name: 'Matriz',
    tax_id: cnpjs[1],
    external_uid: 'matriz',
  });
  for (const status of ['pending', 'paid', 'overdue'] as const)
    await provider.change(ours.organization, (change) =>
      addCharge(change, { company_id: id, type: 'fee', status, due_date: '2026-03-31' }),
    );
  vi.stubEnv('PORTARIA_API_KEY', ours.key);
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => app.fetch(new Request(url, init)));

  await import('./readme-example.ts');

  const slips = await client.charges.listSlips();
  expect(slips.data.map(({ charge }) => charge?.id)).toEqual([1, 3]);
  expect((await client.companies.list({ filters: { name: { $eq: 'Serra Azul' } } })).total).toBe(1);
});
