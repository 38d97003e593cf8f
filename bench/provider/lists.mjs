/**
 * Measures a page of 100 traffic violations out of 100,000, with two filters: the first
 * and a deep page. The aim is less than 20 ms a page. Requests go straight into the app,
 * without sockets. Run after `npm run build`:
 *
 *   node bench/provider/lists.mjs [violations] [--database <file>]
 *
 * The seeder fills an empty file. A named file is kept; otherwise a temporary one is used.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: { database: { type: 'string' } },
  allowPositionals: true,
});
const violations = Number(positionals[0] ?? 100_000);
const SIZE = 100;
const ROUNDS = 41;

const { createApiKey, createProviderApp, findOrCreateOrganization, openProvider, seedOrganization } =
  await import('@portaria/provider');

const folder = mkdtempSync(join(tmpdir(), 'lists-'));
try {
  await run(values.database ?? join(folder, 'provider.db'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(path) {
  const organization = await filled(path);
  // Opened again, so that SQLite gathers statistics of the filled tables.
  const provider = openProvider({ path });
  const app = createProviderApp(provider, { log: console, version: '0.0.0' });
  const key = await createApiKey(provider, organization);
  const list = async (query, page) => {
    const address = `/v1/traffic-violations?${query}&pagination[page]=${page}&pagination[size]=${SIZE}`;
    const response = await app.request(address, { headers: { 'x-api-key': key } });
    const body = await response.json();
    if (response.status !== 200) throw new Error(JSON.stringify(body));
    return body;
  };
  const [{ id: company, external_uid: uid }] = await provider.query
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
    const { total } = await list(query, 1);
    const deep = Math.max(1, Math.floor(total / SIZE));
    rows[name] = {
      total,
      'first page, ms': await median(() => list(query, 1)),
      'last page, ms': await median(() => list(query, deep)),
      pages: deep,
    };
  }
  console.table(rows);
  await provider.close();
}

async function filled(path) {
  const provider = openProvider({ path });
  const organization = await findOrCreateOrganization(provider, 'Bench');
  const { has } = await provider.query
    .selectFrom('traffic_violations')
    .select(({ fn }) => fn.countAll().as('has'))
    .executeTakeFirstOrThrow();
  if (has === 0) {
    const before = process.cpuUsage();
    const start = performance.now();
    await seedOrganization(provider, organization, {
      companies: 50,
      violations,
      seed: 7,
      emitsWebhooks: false,
      more: false,
    });
    const { user, system } = process.cpuUsage(before);
    console.log({
      violations,
      'seconds to fill': Math.round((performance.now() - start) / 1000),
      'of CPU': Math.round((user + system) / 1e6),
    });
  }
  await provider.close();
  return organization;
}

/** Median of CPU milliseconds: load by other programs does not count. */
async function median(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    times.push(Math.round((user + system) / 10) / 100);
  }
  return times.sort((one, other) => one - other)[(ROUNDS - 1) / 2];
}
