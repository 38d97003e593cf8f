import { expect, test, vi } from 'vitest';
import { addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addCharge } from '../charges/change-charge.ts';
import { registerLicense } from '../driver-licenses/change-driver-license.ts';
import { addTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { allRoutes } from '../http/all-routes.ts';
import { cnpjs, company, cpfs, user } from './people.ts';
import { openTestProvider } from './test-provider.ts';
import { speeding } from './violations.ts';

/** Tables that grow with an organization: none may be read from end to end for one request. */
const growing =
  /SCAN (charges|companies|\w+_violations|\w+_tickets|drivers|appeals|registry_licenses|users|console_users|logins|sne_registrations|\w+_slips|\w+_members)\b/;

const endpoints = allRoutes.map(({ endpoint }) => endpoint);
const lists = endpoints.flatMap(({ path, filters, query }) => [
  ...(filters === null
    ? []
    : [
        [path, ''],
        ...Object.keys(filters).map((field) => [
          path,
          `filters[${field.replaceAll('.', '][')}][$eq]=${valueFor(path, field)}`,
        ]),
      ]),
  ...Object.keys(query.shape).map((name) => [path, `${name}=${valueFor(path, name)}`]),
]);

async function openFilled() {
  const world = await openTestProvider();
  const { ours, provider } = world;
  // From here on: statements stay prepared, so what filling has asked is not prepared for the request.
  const prepared = vi.spyOn(provider.sqlite, 'prepare');
  await ours.post('/v1/companies', { ...company, external_uid: 'matriz' });
  await ours.post('/v1/users', user);
  await ours.post('/v1/console/users/sign-in', { email: 'a@example.com', companies: [{ tax_id: cnpjs[0] }] });
  const { rows } = await ours.get('/v1/console/users');
  await provider.change(ours.organization, (change) =>
    addCharge(change, { company_id: 1, type: 'fee', status: 'pending' }),
  );
  await ours.post('/v1/charges/1/payment-slips');
  await provider.change(ours.organization, (change) =>
    addAnttViolation(change, { company_id: 1, type: 'rntrc', status: 'pending' }),
  );
  await ours.post('/v1/antt/violations/1/tickets');
  await provider.change(ours.organization, (change) =>
    registerLicense(change, { tax_id: cpfs[0], status: 'Válida' }),
  );
  await ours.post('/v1/drivers', { tax_id: cpfs[0] });
  await provider.change(ours.organization, (change) => addTrafficViolation(change, speeding));
  await ours.post('/v1/traffic-violations/1/tickets');
  await ours.post('/v1/appeals', { user_id: 1, reference_object_id: 1, reference_object_type: 'procedure' });
  return { ...world, prepared, consoleUser: String(rows[0]?.['id']) };
}

test.each(lists)('%s by %s reads no table from end to end', async (path, query) => {
  const { ours, provider, prepared, consoleUser } = await openFilled();
  const listed = vi.spyOn(provider.lists, 'read');
  const url = `${path.replace('{id}', consoleUser)}?${query}`;

  const { status } = await ours.get(url);
  const asked = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('select'));
  // After a change of the records listed, those that have changed are asked for.
  const table = listed.mock.calls[0]?.[1][0] ?? '';
  provider.sqlite.exec(`update ${table} set organization_id = organization_id`);
  prepared.mockClear();
  await ours.get(url);
  const askedAgain = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.startsWith('with listed'));
  prepared.mockRestore();

  expect(status).toBe(200);
  expect(asked.length).toBeGreaterThan(1);
  expect(askedAgain).toHaveLength(1);
  for (const sql of [...asked, ...askedAgain]) {
    const plan = provider.sqlite
      .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
      .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
      .map(({ detail }) => detail);
    const slow = plan.filter((step) => growing.test(step) || step.startsWith('MATERIALIZE listed'));
    expect(slow, sql).toEqual([]);
  }
});

function valueFor(path: string, field: string): string {
  const values: Record<string, string> = {
    'sne.status': 'unknown',
    'certificate.status': 'not_provided',
    'login.status': 'incomplete',
    'login.step': 'credentials',
    'login.connected': 'false',
    'login.connected_at': '2026-01-01T00:00:00Z',
    'login.disconnected_at': '2026-01-01T00:00:00Z',
    status: 'pending',
    date: '2026-01-01',
    due_date: '2026-01-01',
    penalty_notice_date: '2026-01-01',
    'company.id': '1',
    'user.id': '1',
    offender_type: 'driver',
    indication_availability: 'true',
    discount: 'none',
    payment_method: 'pix',
    page: '1',
    page_size: '1',
  };
  if (field === 'type') return path.startsWith('/v1/antt/') ? 'rntrc' : 'fee';
  return values[field] ?? 'a';
}
