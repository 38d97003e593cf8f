import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/api/endpoint.ts';
import { endpoints } from '../../src/contract/api/endpoints.ts';
import { openSeeded } from './kit/seeded-setup.ts';
import { TODAY, type Client, type Json } from './kit/test-provider.ts';

/** Reads all records of a list page by page and checks each response against the contract. */
async function walk(
  client: Client,
  { path, response }: Endpoint,
  at = path as string,
): Promise<readonly Json[]> {
  const found: Json[] = [];
  const isAppeals = path === '/v1/appeals';
  for (let page = 1; ; page += 1) {
    const query = isAppeals
      ? `page=${String(page)}&page_size=100`
      : `pagination[page]=${String(page)}&pagination[size]=100`;
    const { status, body, rows } = await client.get(`${at}?${query}`);
    expect(status, at).toBe(200);
    response.schema?.parse(body);
    found.push(...rows);
    if (rows.length === 0) {
      expect(found.length, at).toBe(body['total']);
      return found;
    }
  }
}

async function read(client: Client, endpoint: Endpoint, path: string): Promise<Json> {
  const { status, body } = await client.get(path);
  expect(status, path).toBe(200);
  endpoint.response.schema?.parse(body);
  return body;
}

/** Some of the records: one is the same in the list and alone. */
const some = (records: readonly Json[]) => records.filter((_, index) => index % 25 === 0);

function valuesOf(records: readonly Json[], field: string): unknown[] {
  return [...new Set(records.map((record) => record[field]))].sort();
}

const block = (records: readonly Json[], name: string) => records.map((record) => record[name] as Json);

test('seeds companies and users in every status', async () => {
  const { ours, theirs } = await openSeeded({ violations: 50 });

  const companies = await walk(ours, endpoints.companies.list);
  const users = await walk(ours, endpoints.users.list);
  const drivers = await walk(ours, endpoints.driverLicenses.list);
  const consoleUsers = await walk(ours, endpoints.consoleUsers.list);

  expect(companies).toHaveLength(20);
  expect(valuesOf(block(companies, 'certificate'), 'status')).toEqual(['expired', 'not_provided', 'valid']);
  expect(valuesOf(block(companies, 'login'), 'status')).toEqual([
    'fail',
    'incomplete',
    'processing',
    'success',
  ]);
  const sne = ['active', 'canceling', 'inactive', 'pending', 'unavailable', 'unknown'];
  expect(valuesOf(block([...companies, ...users], 'sne'), 'status')).toEqual(sne);
  expect(valuesOf(users, 'status')).toEqual(['active', 'inactive', 'pending']);
  expect(valuesOf(drivers, 'status').length).toBeGreaterThan(1);
  for (const { id } of companies) await read(ours, endpoints.companies.read, `/v1/companies/${String(id)}`);
  for (const { id, status } of users) {
    await read(ours, endpoints.users.read, `/v1/users/${String(id)}`);
    const license = await ours.get(`/v1/users/${String(id)}/drivers-license`);
    expect(status === 'inactive' ? [403] : [200, 404]).toContain(license.status);
    if (license.status === 200) endpoints.users.driverLicense.read.response.schema.parse(license.body);
  }
  for (const { id } of some(drivers))
    await read(ours, endpoints.driverLicenses.read, `/v1/driver-licenses/${String(id)}`);
  for (const { id } of consoleUsers) {
    await read(ours, endpoints.consoleUsers.read, `/v1/console/users/${String(id)}`);
    const path = `/v1/console/users/${String(id)}/companies`;
    expect(await walk(ours, endpoints.consoleUsers.companies.list, path)).not.toEqual([]);
  }
  const importing = companies.map(({ id }) => ours.get(`/v1/companies/${String(id)}/sync/snapshot`));
  expect((await Promise.all(importing)).filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await walk(theirs, endpoints.companies.list)).toEqual([]);
});

test('seeds violations with notices, slips, indications and appeals in every status', async () => {
  const { ours } = await openSeeded();

  const violations = await walk(ours, endpoints.trafficViolations.list);
  const tickets = await walk(ours, endpoints.trafficViolations.tickets.list);
  const appeals = await walk(ours, endpoints.appeals.list);

  expect(violations).toHaveLength(1_800);
  expect(valuesOf(violations, 'status')).toEqual([
    'canceled',
    'citation',
    'overdue',
    'paid',
    'pending',
    'suspended',
    'warning',
  ]);
  expect(valuesOf(tickets, 'status')).toEqual(['failed', 'issued', 'pending', 'rejected', 'requested']);
  expect(valuesOf(tickets, 'discount')).toEqual(['full', 'none', 'partial']);
  expect(valuesOf(appeals, 'status')).toEqual(['accepted', 'deferred', 'pending', 'rejected']);
  expect(valuesOf(appeals, 'legal_instance')).toEqual(['cetran', 'dp', 'jari']);
  for (const { id } of some(appeals)) await read(ours, endpoints.appeals.read, `/v1/appeals/${String(id)}`);
  for (const { id } of some(tickets))
    await read(
      ours,
      endpoints.trafficViolations.tickets.read,
      `/v1/traffic-violations/tickets/${String(id)}`,
    );
  for (const { id } of some(violations))
    await read(ours, endpoints.trafficViolations.read, `/v1/traffic-violations/${String(id)}`);
  const indications: Json[] = [];
  for (const { id } of violations.filter(({ status }) => status === 'citation')) {
    const path = `/v1/traffic-violations/${String(id)}/indications`;
    const listed = await ours.get(path);
    if (listed.status === 403) continue;
    endpoints.trafficViolations.indications.listOf.response.schema.parse(listed.body);
    expect(listed.rows.filter(({ status }) => status === 'pending').length).toBeLessThanOrEqual(1);
    for (const indication of listed.rows) {
      indications.push(indication);
      const one = `${path}/${String(indication['id'])}`;
      await read(ours, endpoints.trafficViolations.indications.read, one);
      if (indication['flow'] === 'form')
        await read(ours, endpoints.trafficViolations.indications.readDocument, `${one}/document`);
    }
  }
  const active = tickets.filter(
    ({ status, due_date }) =>
      status === 'pending' || status === 'requested' || (status === 'issued' && String(due_date) >= TODAY),
  );
  const paid = block(active, 'traffic_violation').map(({ id }) => id);
  expect(paid).toHaveLength(new Set(paid).size);
  expect(valuesOf(indications, 'flow')).toEqual(['automated', 'form']);
  expect(valuesOf(indications, 'status')).toEqual([
    'accepted',
    'canceled',
    'expired',
    'failed',
    'filed',
    'pending',
    'rejected',
    'review',
    'voided',
  ]);
  const notice = violations.find((violation) => violation['penalty_notice_date'] !== null);
  const fetched = await ours.get(`/v1/traffic-violations/${String(notice?.['id'])}/penalty-notice`);
  expect(fetched.status).toBe(200);
});

test('seeds ANTT violations and charges in every status, with their slips', async () => {
  const { ours } = await openSeeded();

  const violations = await walk(ours, endpoints.anttViolations.list);
  const tickets = await walk(ours, endpoints.anttViolations.tickets.list);
  const charges = await walk(ours, endpoints.charges.list);
  const slips = await walk(ours, endpoints.charges.paymentSlips.list);

  expect(valuesOf(violations, 'status')).toHaveLength(20);
  expect(valuesOf(violations, 'type')).toHaveLength(8);
  expect(violations.filter(({ company }) => company === null)).not.toEqual([]);
  expect(valuesOf(tickets, 'status')).toEqual(['failed', 'issued', 'pending', 'rejected', 'requested']);
  expect(valuesOf(charges, 'status')).toEqual(['overdue', 'paid', 'pending']);
  expect(valuesOf(charges, 'type')).toEqual(['fee', 'fine', 'tax']);
  expect(slips).not.toEqual([]);
  for (const { id } of some(violations))
    await read(ours, endpoints.anttViolations.read, `/v1/antt/violations/${String(id)}`);
  for (const { id } of some(tickets))
    await read(ours, endpoints.anttViolations.tickets.read, `/v1/antt/violations/tickets/${String(id)}`);
  for (const { id } of some(charges)) await read(ours, endpoints.charges.read, `/v1/charges/${String(id)}`);
});
