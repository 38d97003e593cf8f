/** Seeds users. */
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/kernel/time/durations.ts';
import { signConsoleUserIn } from '../console-users/change-console-user.ts';
import { addDriver, registerLicense } from '../driver-licenses/change-driver-license.ts';
import { keyedRandom } from '../keyed-random.ts';
import { skipOverdueSteps } from '../scenario/schedule-step.ts';
import { addUser, changeUser, storeUserDriverLicense } from '../users/change-user.ts';
import type { LinkStatus } from '../users/user.ts';
import type { Place } from './brazilian-places.ts';
import {
  emailOf,
  generateLicense,
  generateName,
  generateUser,
  type GeneratedUser,
} from './generate-person.ts';
import { between, characters, cycle, DIGITS, LETTERS } from './pick.ts';
import type { SeededCompany } from './seed-companies.ts';
import { attemptAge, loginHistory, seedLogin, seedSne, sneHistory } from './seed-connections.ts';
import type { At, Seeding } from './seeding.ts';

/** A seeded user, with what its violations and indications are generated from. */
export interface SeededUser {
  readonly id: number;
  /** Status of the link with the organization at the end of the history. */
  readonly link: LinkStatus;
  /** Id of the user as a driver; null for no driver. */
  readonly driver: number | null;
  readonly person: GeneratedUser['user'];
  readonly place: Place;
  readonly plates: readonly [string, ...string[]];
}

const links = ['active', 'pending', 'active', 'inactive', 'active', 'active', 'pending'] as const;

/** Of this many users, one has no licence, and one more is no driver of the organization. */
const LICENSE_CYCLE = 5;
/** First number of the people who have a licence but are no driver. Users have smaller numbers. */
const DRIVER_CANDIDATES = 400_000_000;

/** Seeds the user with this number (from 0) and its history: link, licence, SNE, logins. */
export async function seedUser(seeding: Seeding, at: At, number: number): Promise<SeededUser> {
  const { seed, now } = seeding;
  const random = keyedRandom(seed, `days of user:${String(number)}`);
  const last = loginHistory('user', number, false);
  const { user, place, plates } = generateUser(seed, number);
  const link = cycle(links, number);
  const added = last === null ? now - 3 * SECOND_MS : now - between(random, 30, 600) * DAY_MS;

  const { id } = await addUser(at(added), user);
  seeding.count('users');
  const driver = await seedLicense(seeding, at, number, { id, user, place, added });
  if (link === 'active') await changeUser(at(added + DAY_MS), id, { status: 'active' });
  if (last !== null) {
    const owner = { kind: 'user', id } as const;
    const first = { steps: ['credentials', 'password'], end: 'disconnected' } as const;
    await seedLogin(at, owner, first, added + HOUR_MS);
    await seedSne(at, owner, sneHistory(number), { since: added + 2 * DAY_MS, now });
    await skipOverdueSteps(at(now), ['user-login', 'user-session', 'user-sne'], id);
    await seedLogin(at, owner, last, now - attemptAge[last.end]);
  }
  return { id, link, driver, person: user, place, plates };
}

/** @returns the id of the user as a driver, or null. */
async function seedLicense(
  seeding: Seeding,
  at: At,
  number: number,
  { id, user, place, added }: Omit<GeneratedUser, 'plates'> & { readonly id: number; readonly added: number },
): Promise<number | null> {
  const { seed, now, today } = seeding;
  const cyclePosition = number % LICENSE_CYCLE;
  if (cyclePosition === LICENSE_CYCLE - 1) return null;
  const { name, tax_id } = user;
  const random = keyedRandom(seed, `license of user:${String(number)}`);
  const license = generateLicense(random, { name, place, now: new Date(now).toISOString(), today });
  await storeUserDriverLicense(at(added + HOUR_MS), id, license);
  if (cyclePosition === LICENSE_CYCLE - 2) return null;
  const driver = await addDriver(at(added + 2 * HOUR_MS), tax_id);
  seeding.count('drivers');
  return driver.id;
}

/** Registers the licence of a person outside the organization, who can then be added as a driver. @returns the CPF */
export async function seedDriverCandidate(
  { seed, now, today }: Seeding,
  at: At,
  number: number,
): Promise<string> {
  const { user, place } = generateUser(seed, DRIVER_CANDIDATES + number);
  const { name, tax_id } = user;
  const random = keyedRandom(seed, `license of driver candidate:${String(number)}`);
  const license = generateLicense(random, { name, place, now: new Date(now).toISOString(), today });
  await registerLicense(at(now), {
    tax_id,
    name,
    license: license.license ?? null,
    points: license.points?.value ?? null,
    status: license.status,
    issue_date: license.issue_date ?? null,
    expiration_date: license.expiration_date ?? null,
  });
  return tax_id;
}

/** Deactivates the links of some users. From then on their data is unavailable and emits no webhooks. */
export async function deactivateLinks({ now }: Seeding, at: At, users: readonly SeededUser[]): Promise<void> {
  for (const { id, link } of users)
    if (link === 'inactive') await changeUser(at(now), id, { status: 'inactive' });
}

const CONSOLE_USER_ID_LENGTH = 16;
const MAX_GROUP = 6;

/** Seeds the console user with this number (from 0), who sees up to {@link MAX_GROUP} companies. */
export async function seedConsoleUser(
  seeding: Seeding,
  at: At,
  number: number,
  companies: readonly SeededCompany[],
): Promise<void> {
  const { seed, organization, now } = seeding;
  const random = keyedRandom(seed, `console user:${String(organization)}:${String(number)}`);
  const name = generateName(random);
  const count = between(random, 1, Math.min(MAX_GROUP, companies.length));
  const first = between(random, 0, companies.length - 1);
  const group = Array.from({ length: count }, (_, index) => companies[(first + index) % companies.length]);
  const signIn = {
    name,
    email: emailOf(name, number + 1, 'frota.example'),
    ...(random() < 0.7 && { external_uid: `console-${String(number + 1)}` }),
    companies: group.flatMap((company) => (company === undefined ? [] : [{ tax_id: company.taxId }])),
  };
  const id = `cu_${characters(random, LETTERS + LETTERS.toLowerCase() + DIGITS, CONSOLE_USER_ID_LENGTH)}`;
  // The token grants access, so it must not be derived from the seed.
  const token = seeding.createSecret();
  await signConsoleUserIn(at(now - between(random, 1, 35) * DAY_MS), signIn, { id, token });
  seeding.count('console users');
}
