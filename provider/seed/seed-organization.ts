import { PortariaError } from '../../src/kernel/errors.ts';
import { restoreIndexes, setIndexesAside } from '../database/set-aside-indexes.ts';
import type { Provider } from '../provider.ts';
import { addAgency } from '../traffic-violations/change-traffic-violation.ts';
import { generateAgencies } from './generate-violation.ts';
import { generateCnpj, generateCpf } from './generate-identifiers.ts';
import { seedAnttViolation, seedCharge } from './seed-charges.ts';
import { seedCompany, type SeededCompany } from './seed-companies.ts';
import { seedConsoleUser, endLinks, seedDriverCandidate, seedUser, type SeededUser } from './seed-users.ts';
import { seedIndicationRules } from './seed-indication.ts';
import { createViolationSeeder } from './seed-violations.ts';
import { openSeeding, type At, type Seeded } from './seeding.ts';

export interface SeedOptions {
  readonly companies: number;
  readonly violations: number;
  readonly seed: number;
  /** Whether webhooks tell of the past, too. */
  readonly isTold: boolean;
  /** Whether the organization may have data already. */
  readonly more: boolean;
  /** Ends it after the batch that is being made. */
  readonly signal?: AbortSignal;
  onProgress?(done: number, total: number, now: string): void;
}

export interface SeedResult {
  readonly made: ReadonlyMap<Seeded, number>;
  /** CPFs that have a licence but no driver yet: for adding some. */
  readonly driverCandidates: readonly string[];
  /** False when the signal has ended it. */
  readonly isWhole: boolean;
}

/** Records made in one transaction: beside a running provider it writes for a fraction of a second at a time. */
const BATCH = 100;
/** Violations, most of which nothing else is made for. */
const VIOLATION_BATCH = 500;
/** From so many on, indexes are better made when all are there. */
const MANY_VIOLATIONS = 20_000;
const DRIVER_CANDIDATES = 3;

/**
 * Fills an organization with a believable past: companies and violations as many
 * as asked for, and of everything else what goes with them. The same seed makes
 * the same, and more companies leave the first ones as they are.
 *
 * @throws PortariaError `invalid-argument` when the organization has data and `more` is not set.
 */
export async function seedOrganization(
  provider: Provider,
  organization: number,
  options: SeedOptions,
): Promise<SeedResult> {
  const { seed, signal } = options;
  const before = await countBefore(provider, organization);
  if (before.companies + before.users + before.violations > 0 && !options.more)
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

  /** Numbers from `first`, a transaction for every few of them. */
  async function inBatches(
    what: string,
    numbers: readonly number[],
    size: number,
    work: (at: At, numbers: readonly number[]) => Promise<void>,
  ): Promise<void> {
    for (let start = 0; start < numbers.length; start += size) {
      if (signal?.aborted === true) return;
      const some = numbers.slice(start, start + size);
      await seeding.batch((at) => work(at, some));
      done += some.length;
      options.onProgress?.(done, total, what);
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
  const companyNumbers = untaken(before.cnpjs, options.companies, (number) => generateCnpj(seed, number));
  await inBatches('companies', companyNumbers, BATCH, async (at, numbers) => {
    for (const number of numbers) companies.push(await seedCompany(seeding, at, number));
  });
  const people: SeededUser[] = [];
  const userNumbers = untaken(before.cpfs, users, (number) => generateCpf(seed, number));
  await inBatches('users', userNumbers, BATCH, async (at, numbers) => {
    for (const number of numbers) people.push(await seedUser(seeding, at, number));
  });
  const [firstCompany, ...otherCompanies] = companies;
  const [firstUser, ...otherUsers] = people;
  if (firstCompany === undefined || firstUser === undefined)
    return { made: seeding.counts, driverCandidates, isWhole: false };
  const fleet = { companies: [firstCompany, ...otherCompanies], users: [firstUser, ...otherUsers] } as const;

  await inBatches('console users', range(before.consoleUsers, consoleUsers), BATCH, async (at, numbers) => {
    for (const number of numbers) await seedConsoleUser(seeding, at, number, companies);
  });
  const seedViolations = createViolationSeeder(seeding, fleet);
  const violationNumbers = range(before.violations, options.violations);
  const areMany = options.violations >= MANY_VIOLATIONS;
  if (areMany)
    await alone(provider, () => {
      setIndexesAside(provider.sqlite, 'traffic_violations');
    });
  await inBatches('violations', violationNumbers, VIOLATION_BATCH, (at, [first = 0, ...others]) =>
    seedViolations(at, first, others.length + 1),
  );
  if (areMany)
    await alone(provider, () => {
      restoreIndexes(provider.sqlite);
    });
  await inBatches(
    'ANTT violations',
    range(before.anttViolations, anttViolations),
    BATCH,
    async (at, numbers) => {
      for (const number of numbers) await seedAnttViolation(seeding, at, number, fleet.companies);
    },
  );
  await inBatches('charges', range(before.charges, charges), BATCH, async (at, numbers) => {
    for (const number of numbers) await seedCharge(seeding, at, number, fleet.companies);
  });
  // Last: of users without link nothing more can be made.
  await seeding.batch((at) => endLinks(seeding, at, people));
  return { made: seeding.counts, driverCandidates, isWhole: signal?.aborted !== true };
}

/** In turn with transactions, which share the connection. */
function alone({ query }: Pick<Provider, 'query'>, work: () => void): Promise<void> {
  return query.connection().execute(async () => {
    work();
  });
}

/** What the organization has: numbers go on from there, and no tax id comes twice. */
async function countBefore({ query }: Pick<Provider, 'query'>, organization: number) {
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

/** The first numbers whose tax id nobody has. */
function untaken(taken: ReadonlySet<string>, count: number, taxId: (number: number) => string): number[] {
  const numbers: number[] = [];
  for (let number = 0; numbers.length < count; number += 1)
    if (!taken.has(taxId(number))) numbers.push(number);
  return numbers;
}

function range(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
