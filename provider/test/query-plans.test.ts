import type { Statement } from 'better-sqlite3';
import { expect, test, vi } from 'vitest';
import { addAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { addCharge } from '../charges/change-charge.ts';
import { registerLicense } from '../driver-licenses/change-driver-license.ts';
import { addTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { allRoutes } from '../http/all-routes.ts';
import type { Provider } from '../provider.ts';
import { cnpjs, company, cpfs, user } from './kit/people.ts';
import { openTestProvider } from './kit/test-provider.ts';
import { speeding } from './kit/violation-setup.ts';

/** Matches a scan of a table that grows with an organization: a request must not scan one. */
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
  const setup = await openTestProvider();
  const { ours, provider } = setup;
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
  return { ...setup, consoleUser: String(rows[0]?.['id']) };
}

/** The queries that `work` runs. Statements stay prepared, so their runs are counted. */
async function statementsOf({ sqlite }: Provider, work: () => Promise<unknown>): Promise<readonly string[]> {
  const prototype = Object.getPrototypeOf(sqlite.prepare('select 1')) as Statement;
  const runs = vi.spyOn(prototype, 'all');
  await work();
  const statements = (runs.mock.contexts as readonly Statement[]).map(({ source }) => source);
  runs.mockRestore();
  return statements.filter((sql) => /^(select|with)\b/.test(sql));
}

test('no list scans a table, by whichever filter', async () => {
  const { ours, provider, consoleUser } = await openFilled();
  for (const [path = '', query] of lists) {
    const address = `${path.replace('{id}', consoleUser)}?${String(query)}`;

    const statements = await statementsOf(provider, async () => {
      expect((await ours.get(address)).status, address).toBe(200);
    });

    // The key, the number of matches and the ids on the page.
    expect(statements.length, address).toBeGreaterThan(2);
    for (const sql of statements) {
      const plan = provider.sqlite
        .prepare<unknown[], { detail: string }>(`explain query plan ${sql}`)
        .all(...Array.from({ length: sql.split('?').length - 1 }, () => 1))
        .map(({ detail }) => detail);
      const scans = plan.filter((step) => growing.test(step));
      expect(scans, `${address}: ${sql}`).toEqual([]);
    }
  }
});

test('a page without filters ends where the page ends, instead of sorting all records', async () => {
  const { ours, provider } = await openFilled();
  const statements = await statementsOf(provider, () => ours.get('/v1/traffic-violations'));
  const page = statements.find((sql) => sql.startsWith('with matching'));

  const plan = provider.sqlite
    .prepare<unknown[], { detail: string }>(`explain query plan ${String(page)}`)
    .all(1, 25, 0);

  expect(plan.map(({ detail }) => detail)).toEqual([expect.stringContaining('USING COVERING INDEX')]);
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
