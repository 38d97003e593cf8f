/** Seeds an organization with all its records. */
import { PortariaError } from '../../src/kernel/errors.ts';
import type { Provider } from '../provider.ts';
import { addAgency } from '../traffic-violations/change-traffic-violation.ts';
import { generateCnpj, generateCpf } from './generate-identifiers.ts';
import { generateAgencies } from './generate-violation.ts';
import { seedAnttViolation, seedCharge } from './seed-charges.ts';
import { seedCompany, type SeededCompany } from './seed-companies.ts';
import { seedIndicationRules } from './seed-indication.ts';
import {
  deactivateLinks,
  seedConsoleUser,
  seedDriverCandidate,
  seedUser,
  type SeededUser,
} from './seed-users.ts';
import { createViolationSeeder } from './seed-violations.ts';
import { openSeeding, type At, type Seeded } from './seeding.ts';

/** How many records to seed, and how. */
export interface SeedOptions {
  readonly companies: number;
  readonly violations: number;
  readonly seed: number;
  /** Whether the history emits webhooks. */
  readonly emitsWebhooks: boolean;
  /** Whether the organization may have data already. */
  readonly more: boolean;
  /** Stops the seeding after the current batch. */
  readonly signal?: AbortSignal;
  /** Called after each batch with the number of records done and in total, and the current kind. */
  onProgress?(done: number, total: number, kind: string): void;
}

/** What a seeding has added. */
export interface SeedResult {
  readonly counts: ReadonlyMap<Seeded, number>;
  /** CPFs of people who have a licence and can be added as drivers. */
  readonly driverCandidates: readonly string[];
  /** False if the signal has stopped the seeding. */
  readonly isComplete: boolean;
}

/** Records per transaction: a running provider is blocked for a fraction of a second at a time. */
const BATCH = 100;
/** Violations per transaction. Most have no dependent records. */
const VIOLATION_BATCH = 500;
const DRIVER_CANDIDATES = 3;

/**
 * Fills an organization with realistic records and their history. The options
 * give the number of companies and violations; the numbers of all other records
 * follow from these. The same seed gives the same records, and more companies
 * leave the first ones unchanged.
 *
 * @throws PortariaError `invalid-argument` when the organization has data and `more` is not set.
 */
export async function seedOrganization(
  provider: Provider,
  organization: number,
  options: SeedOptions,
): Promise<SeedResult> {
  const { seed, signal } = options;
  const existing = await readExisting(provider, organization);
  if (existing.companies + existing.users + existing.violations > 0 && !options.more)
    throw new PortariaError(
      'invalid-argument',
      'The organization has data already: --more adds to it, --organization names another',
    );
  const seeding = openSeeding(provider, organization, options);
  const users = options.companies * 3 + 6;
  const anttViolations = Math.ceil(options.violations * 0.08);
  const charges = Math.ceil(options.violations * 0.05);
  const consoleUsers = Math.ceil(options.companies / 4);
  const total = options.companies + users + consoleUsers + options.violations + anttViolations + charges;
  let done = 0;

  async function inBatches(
    kind: string,
    numbers: readonly number[],
    size: number,
    work: (at: At, numbers: readonly number[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < numbers.length; start += size) {
      if (signal?.aborted === true) return;
      const batch = numbers.slice(start, start + size);
      await seeding.batch((at) => work(at, batch));
      done += batch.length;
      options.onProgress?.(done, total, kind);
    }
  }

  const driverCandidates: string[] = [];
  await seeding.batch(async (at) => {
    for (const agency of generateAgencies()) await addAgency(at(seeding.now), agency);
    await seedIndicationRules(seeding, at);
    for (const number of range(0, DRIVER_CANDIDATES))
      driverCandidates.push(await seedDriverCandidate(seeding, at, number));
  });

  const companies: SeededCompany[] = [];
  const companyNumbers = unused(existing.cnpjs, options.companies, (number) => generateCnpj(seed, number));
  await inBatches('companies', companyNumbers, BATCH, async (at, numbers) => {
    for (const number of numbers) companies.push(await seedCompany(seeding, at, number));
  });
  const people: SeededUser[] = [];
  const userNumbers = unused(existing.cpfs, users, (number) => generateCpf(seed, number));
  await inBatches('users', userNumbers, BATCH, async (at, numbers) => {
    for (const number of numbers) people.push(await seedUser(seeding, at, number));
  });
  const [firstCompany, ...otherCompanies] = companies;
  const [firstUser, ...otherUsers] = people;
  if (firstCompany === undefined || firstUser === undefined)
    return { counts: seeding.counts, driverCandidates, isComplete: false };
  const fleet = { companies: [firstCompany, ...otherCompanies], users: [firstUser, ...otherUsers] } as const;

  await inBatches('console users', range(existing.consoleUsers, consoleUsers), BATCH, async (at, numbers) => {
    for (const number of numbers) await seedConsoleUser(seeding, at, number, companies);
  });
  const seedViolations = createViolationSeeder(seeding, fleet);
  const violationNumbers = range(existing.violations, options.violations);
  await inBatches('violations', violationNumbers, VIOLATION_BATCH, (at, [first = 0, ...others]) =>
    seedViolations(at, first, others.length + 1),
  );
  await inBatches(
    'ANTT violations',
    range(existing.anttViolations, anttViolations),
    BATCH,
    async (at, numbers) => {
      for (const number of numbers) await seedAnttViolation(seeding, at, number, fleet.companies);
    },
  );
  await inBatches('charges', range(existing.charges, charges), BATCH, async (at, numbers) => {
    for (const number of numbers) await seedCharge(seeding, at, number, fleet.companies);
  });
  // Last, because an inactive link rejects further slips and indications.
  await seeding.batch((at) => deactivateLinks(seeding, at, people));
  return { counts: seeding.counts, driverCandidates, isComplete: signal?.aborted !== true };
}

/** Reads what the organization has, so that numbers continue from there and no tax id repeats. */
async function readExisting({ query }: Pick<Provider, 'query'>, organization: number) {
  const taxIds = async (table: 'companies' | 'users') => {
    const rows = await query
      .selectFrom(table)
      .select('tax_id')
      .where('organization_id', '=', organization)
      .execute();
    return new Set(rows.map(({ tax_id }) => tax_id));
  };
  const count = async (table: 'traffic_violations' | 'antt_violations' | 'charges' | 'console_users') => {
    const { all } = await query
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('all'))
      .where('organization_id', '=', organization)
      .executeTakeFirstOrThrow();
    return all;
  };
  const cnpjs = await taxIds('companies');
  const cpfs = await taxIds('users');
  return {
    cnpjs,
    cpfs,
    companies: cnpjs.size,
    users: cpfs.size,
    violations: await count('traffic_violations'),
    anttViolations: await count('antt_violations'),
    charges: await count('charges'),
    consoleUsers: await count('console_users'),
  };
}

/** Returns the first numbers (from 0) whose tax id is not in use. */
function unused(taxIds: ReadonlySet<string>, count: number, taxId: (number: number) => string): number[] {
  const numbers: number[] = [];
  for (let number = 0; numbers.length < count; number += 1)
    if (!taxIds.has(taxId(number))) numbers.push(number);
  return numbers;
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
