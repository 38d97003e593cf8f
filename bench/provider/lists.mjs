/**
 * Measures a page of 100 traffic violations out of a million, with two filters: the
 * first request, a repeated one, and one after a violation has changed. Requests
 * go to the app without sockets. Run `npm run build` first:
 *
 *   node bench/provider/lists.mjs [violations] [--database <file>]
 *
 * The seeder fills the file if it is empty, and the file is kept. Without one, a
 * temporary file is used.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { database: { type: 'string' } },
  allowPositionals: true,
});
const violations = Number(positionals[0] ?? 1_000_000);
const SIZE = 100;
const ROUNDS = 41;

const dist = new URL('../../dist/', import.meta.url);
const load = (path) => import(new URL(path, dist).href);
const { openService } = await load('provider/open-provider.js');
const { createServiceApp } = await load('provider/http/provider-app.js');
const { createApiKey } = await load('provider/organizations/api-key.js');
const { findOrCreateOrganization } = await load('provider/organizations/organization.js');
const { seedOrganization } = await load('provider/seed/seed-organization.js');
const { changeTrafficViolation } = await load('provider/traffic-violations/change-traffic-violation.js');

const folder = mkdtempSync(join(tmpdir(), 'lists-'));
try {
  await run(values.database ?? join(folder, 'service.db'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(path) {
  const organization = await filled(path);
  // Open again, so that SQLite's statistics cover the data.
  const service = openService({ path });
  const app = createServiceApp(service, { log: console, version: '0.0.0' });
  const key = await createApiKey(service, organization);
  const list = async (query, page) => {
    const address = `/v1/traffic-violations?${query}&pagination[page]=${page}&pagination[size]=${SIZE}`;
    const response = await app.request(address, { headers: { 'x-api-key': key } });
    const body = await response.json();
    if (response.status !== 200) throw new Error(JSON.stringify(body));
    return body;
  };
  // The field that lists filter by: some lists lose the violation, others gain it.
  const change = (id, turn) =>
    service.change(organization, (transition) =>
      changeTrafficViolation(transition, id, { status: turn % 2 === 0 ? 'paid' : 'overdue' }),
    );

  const [{ id: company, external_uid: uid }] = await service.query
    .selectFrom('companies')
    .select(['id', 'external_uid'])
    .where('external_uid', 'is not', null)
    .execute();
  const day = new Date(Date.now() - 90 * 86_400_000).toISOString().slice(0, 10);
  const filters = {
    'no filter': '',
    'status and company': `filters[status][$eq]=paid&filters[company][id][$eq]=${company}`,
    'status and agency': 'filters[status][$eq]=overdue&filters[agency][code][$eq]=000100',
    'date and status': `filters[date][$gte]=${day}&filters[status][$ne]=paid`,
    'due date and offender': `filters[due_date][$lt]=${day}&filters[offender_type][$eq]=driver`,
    'company uid and status': `filters[company][external_uid][$eq]=${uid}&filters[status][$ne]=paid`,
    'open for indications and agency':
      'filters[indication_availability][$eq]=true&filters[agency][code][$ne]=000100',
    'plate and status': 'filters[license_plate][$startsWith]=A&filters[status][$eq]=paid',
  };
  const rows = {};
  for (const [name, query] of Object.entries(filters)) {
    const first = await timed(() => list(query, 1));
    const { total } = await list(query, 1);
    const deep = Math.min(5_000, Math.max(1, Math.floor(total / SIZE)));
    const again = await median(() => list(query, 1));
    const deepAgain = await median(() => list(query, deep));
    let turn = 0;
    const changed = await median(
      () => list(query, 1),
      () => change((((turn += 1) * 7_919) % violations) + 1, turn),
    );
    rows[name] = {
      total,
      'first, ms': first,
      'again, ms': again,
      'after a change, ms': changed,
      'deep page again, ms': deepAgain,
      'deep page': deep,
    };
  }
  console.table(rows);
  await service.close();
}

async function filled(path) {
  const service = openService({ path });
  const organization = await findOrCreateOrganization(service, 'Bench');
  const { has } = await service.query
    .selectFrom('traffic_violations')
    .select(({ fn }) => fn.countAll().as('has'))
    .executeTakeFirstOrThrow();
  if (has === 0) {
    const before = process.cpuUsage();
    const start = performance.now();
    await seedOrganization(service, organization, {
      companies: 50,
      violations,
      seed: 7,
      isTold: false,
      more: false,
    });
    const { user, system } = process.cpuUsage(before);
    console.log({
      violations,
      'seconds to fill': Math.round((performance.now() - start) / 1000),
      'of CPU': Math.round((user + system) / 1e6),
    });
  }
  await service.close();
  return organization;
}

/** Milliseconds of CPU, which other programs do not affect. */
async function timed(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return Math.round((user + system) / 10) / 100;
}

async function median(work, prepare = async () => undefined) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await prepare();
    times.push(await timed(work));
  }
  return times.sort((one, other) => one - other)[(ROUNDS - 1) / 2];
}
