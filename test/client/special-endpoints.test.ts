/** Endpoints of the provider whose form differs from all others. */
import { expect, test } from 'vitest';
import { addAnttViolation } from '../../provider/antt-violations/change-antt-violation.ts';
import { registerLicense } from '../../provider/driver-licenses/change-driver-license.ts';
import { company, cpfs } from '../../provider/test/kit/people.ts';
import { collected, openClientSetup, rejection } from './client-setup.ts';

async function openWithDriver() {
  const setup = await openClientSetup();
  await setup.provider.change(setup.ours.organization, (change) =>
    registerLicense(change, { tax_id: cpfs[0], status: 'Válida', points: 7 }),
  );
  return { ...setup, driver: await setup.client.drivers.create({ tax_id: cpfs[0] }) };
}

test('appeals are sent as a form, and have their own paging parameters', async () => {
  const { client, driver, drifts } = await openWithDriver();

  for (const object_id of [31, 32, 33])
    await client.appeals.create({ user_id: driver.id, object_id, object_type: 'procedure' });

  expect(await client.appeals.read(2)).toMatchObject({ reference_object_id: 32, legal_instance: 'dp' });
  const page = await client.appeals.list({ page: 2, page_size: 2, status: 'pending' });
  expect(page).toMatchObject({ page: 2, page_size: 2, total: 3, total_pages: 2 });
  expect(page.data.map(({ id }) => id)).toEqual([3]);
  expect((await collected(client.appeals.all({ page_size: 2 }))).map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(drifts).toEqual([]);
});

test('a driver is created from a CPF, and errors in Portuguese are understood', async () => {
  const { client, driver, drifts } = await openWithDriver();

  expect(await client.driverLicenses.read(driver.id)).toMatchObject({ tax_id: cpfs[0], points: 7 });
  expect(await client.driverLicenses.list({ page: 1, size: 10 })).toMatchObject({ total: 1 });
  expect(await rejection(client.drivers.create({ tax_id: '1' }))).toMatchObject({ status: 400 });
  expect(await rejection(client.driverLicenses.read(77))).toMatchObject({ code: 'not-found' });
  expect(drifts).toEqual([]);
});

test('a payment slip of an ANTT violation is requested and listed', async () => {
  const { client, provider, ours, drifts } = await openClientSetup();
  const { id: company_id } = await client.companies.create(company);
  const violation = await provider.change(ours.organization, (change) =>
    addAnttViolation(change, { company_id, type: 'rntrc', status: 'pending', due_date: '2026-04-30' }),
  );

  const { id } = await client.anttViolations.tickets.request(violation.id);

  const found = await collected(
    client.anttViolations.tickets.all({
      filters: { status: { $eq: 'pending' }, due_date: { $lt: '2026-05-01' } },
    }),
  );
  expect(found).toEqual([await client.anttViolations.tickets.read(id)]);
  expect(await rejection(client.anttViolations.tickets.request(violation.id))).toMatchObject({ status: 409 });
  expect(drifts).toEqual([]);
});
