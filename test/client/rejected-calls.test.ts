/** Calls of every part that must not compile. `npm run typecheck` runs this. */
import { expectTypeOf, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';

const tax_id = '11222333000181';

/** Never called: only the types matter. */
function rejectedFilters(client: Client): void {
  // @ts-expect-error -- an operator that the field does not support
  void client.companies.all({ filters: { name: { $endsWith: 'Ltda' } } });
  // @ts-expect-error -- a field that the list cannot filter by
  void client.companies.all({ filters: { created_at: { $eq: '2026-01-01' } } });
  // @ts-expect-error -- an operator that the field does not support
  void client.users.list({ filters: { email: { $ne: 'a@example.com' } } });
  // @ts-expect-error -- a field that the list cannot filter by
  void client.users.list({ filters: { phone: { $eq: '+5511987654321' } } });
  // @ts-expect-error -- an operator that the field does not support
  void client.consoleUsers.list({ filters: { external_uid: { $ne: 'a' } } });
  // @ts-expect-error -- a list without filters
  void client.consoleUsers.companies.list('a', { filters: { name: { $eq: 'a' } } });
  // @ts-expect-error -- an operator that the field does not support
  void client.trafficViolations.list({ filters: { indication_availability: { $ne: true } } });
  // @ts-expect-error -- a value of another type
  void client.trafficViolations.list({ filters: { user: { id: { $eq: '12' } } } });
  // @ts-expect-error -- a value that is not in the set
  void client.trafficViolations.list({ filters: { offender_type: { $eq: 'passenger' } } });
  // @ts-expect-error -- a nested field that the list cannot filter by
  void client.trafficViolations.list({ filters: { agency: { name: { $eq: 'DETRAN' } } } });
  // @ts-expect-error -- an operator that the field does not support
  void client.trafficViolations.tickets.list({ filters: { status: { $ne: 'issued' } } });
  // @ts-expect-error -- an operator that the field does not support
  void client.anttViolations.list({ filters: { license_plate: { $contains: 'BDT' } } });
  // @ts-expect-error -- a field that this list cannot filter by, unlike the other
  void client.anttViolations.tickets.all({ filters: { company: { id: { $eq: 1 } } } });
  // @ts-expect-error -- an operator that the field does not support
  void client.charges.list({ filters: { agency: { $startsWith: 'd' } } });
  // @ts-expect-error -- a value of another type
  void client.charges.paymentSlips.list({ filters: { due_date: { $gte: new Date() } } });
  // @ts-expect-error -- a list without filters
  void client.driverLicenses.list({ filters: { status: { $eq: 'a' } } });
  // @ts-expect-error -- a list with its own parameters has no filters
  void client.appeals.list({ filters: { status: { $eq: 'pending' } } });
  // @ts-expect-error -- a value that is not in the set
  void client.appeals.list({ status: 'lost' });
  // @ts-expect-error -- a list below a record has neither pages nor filters
  void client.charges.paymentSlips.listOf(1, { page: 2 });
}

function rejectedIds(client: Client): void {
  // @ts-expect-error -- a numeric id
  void client.companies.sync.stream('12');
  // @ts-expect-error -- a numeric id
  void client.companies.update('12', { name: 'A' });
  // @ts-expect-error -- a numeric id
  void client.users.remove('12');
  // @ts-expect-error -- a numeric id
  void client.users.driverLicense.read('12');
  // @ts-expect-error -- a string id
  void client.consoleUsers.companies.all(12);
  // @ts-expect-error -- a string id
  void client.consoleUsers.remove(12);
  // @ts-expect-error -- a numeric id
  void client.trafficViolations.penaltyNotice.read('12');
  // @ts-expect-error -- a numeric id
  void client.trafficViolations.tickets.readFile('12');
  // @ts-expect-error -- the indication's id is missing
  void client.trafficViolations.indications.read(1);
  // @ts-expect-error -- two numeric ids
  void client.trafficViolations.indications.cancel(1, '2');
  // @ts-expect-error -- a numeric id
  void client.anttViolations.tickets.read('12');
  // @ts-expect-error -- a numeric id
  void client.charges.paymentSlips.request('12');
  // @ts-expect-error -- a numeric id
  void client.driverLicenses.read('12');
  // @ts-expect-error -- a numeric id
  void client.appeals.read('12');
}

function rejectedBodies(client: Client): void {
  // @ts-expect-error -- `name` is missing
  void client.companies.create({ tax_id });
  // @ts-expect-error -- the body is missing
  void client.companies.update(1);
  // @ts-expect-error -- `password` is missing
  void client.companies.certificate.store(1, { certificate: 'MA==' });
  // @ts-expect-error -- `tax_id` is missing
  void client.users.create({ name: 'Ana' });
  // @ts-expect-error -- a value of another type
  void client.users.update(1, { email: 7 });
  // @ts-expect-error -- `companies` is missing
  void client.consoleUsers.signIn({ email: 'a@example.com' });
  // @ts-expect-error -- a company is an object
  void client.consoleUsers.signIn({ email: 'a@example.com', companies: [tax_id] });
  // @ts-expect-error -- here a company is its CNPJ
  void client.consoleUsers.companies.remove('a', { companies: [{ tax_id }] });
  // @ts-expect-error -- `external_uid` is missing
  void client.widgetUsers.signIn({ widget_uid: 'a' });
  // @ts-expect-error -- a value that is not in the set
  void client.trafficViolations.tickets.request(1, { discount: 'none' });
  // @ts-expect-error -- `tax_id` is missing
  void client.trafficViolations.indications.create(1, { flow: 'automated' });
  // @ts-expect-error -- a value that is not in the set
  void client.trafficViolations.indications.create(1, { tax_id: '52998224725', flow: 'letter' });
  // @ts-expect-error -- `tax_id` is missing
  void client.drivers.create({});
  // @ts-expect-error -- `user_id` is missing
  void client.appeals.create({ object_id: 1, object_type: 'procedure' });
  // @ts-expect-error -- a request without a body
  void client.charges.paymentSlips.request(1, { discount: 'full' });
}

test('calls that the provider would reject do not compile', () => {
  expectTypeOf(rejectedFilters).toBeFunction();
  expectTypeOf(rejectedIds).toBeFunction();
  expectTypeOf(rejectedBodies).toBeFunction();
});
