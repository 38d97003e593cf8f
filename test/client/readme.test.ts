/** The client's example in docs/provider-and-client.md compiles, works against a real provider, and prints what it did. */
import { readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { addCharge } from '../../provider/charges/change-charge.ts';
import { cnpjs } from '../../provider/test/kit/people.ts';
import { openClientSetup } from './client-setup.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

test('the document shows the example', () => {
  const [, ...example] = read('readme-example.ts').split('\n');

  expect(read('../../docs/provider-and-client.md')).toContain(['```ts', ...example].join('\n').concat('```'));
});

test('the example requests a slip for each unpaid charge, and prints a line for each', async () => {
  const { client, provider, app, ours } = await openClientSetup();
  const { id } = await client.companies.create({ name: 'Matriz', tax_id: cnpjs[1] });
  for (const status of ['pending', 'paid', 'overdue', 'pending'] as const)
    await provider.change(ours.organization, (change) =>
      addCharge(change, { company_id: id, type: 'fee', status, due_date: '2026-03-31' }),
    );
  await client.charges.paymentSlips.request(4);
  vi.stubEnv('PORTARIA_API_KEY', ours.key);
  vi.stubGlobal('fetch', (url: string, init: RequestInit) => app.fetch(new Request(url, init)));
  const printed = vi.spyOn(console, 'log').mockReturnValue(undefined);

  await import('./readme-example.ts');

  expect(printed.mock.calls.flat()).toEqual([
    '1 companies',
    'charge 1: payment slip 2 is pending',
    'charge 3: payment slip 3 is pending',
    'charge 4 has an active payment slip',
  ]);
  printed.mockRestore();
  const slips = await client.charges.paymentSlips.list();
  expect(slips.data.map(({ charge }) => charge?.id)).toEqual([4, 1, 3]);
});
