import { keyedRandom } from '../../src/kernel/random/keyed-random.ts';
import { addDriver, registerLicense } from '../driver-licenses/change-driver-license.ts';
import { skipOverdueSteps } from '../scenario/schedule-step.ts';
import { addUser, changeUser, storeUserDriverLicense } from '../users/change-user.ts';
import type { LinkStatus } from '../users/user-tables.ts';
import type { Place } from './brazilian-places.ts';
import {
  generateLicense,
  generateUser,
  type GeneratedUser,
  emailOf,
  generateName,
} from './generate-person.ts';
import { between, characters, DIGITS, LETTERS } from './pick.ts';
import { attemptedAgo, loginHistory, seedLogin, seedSne, sneHistory } from './seed-connections.ts';
import { DAY, HOUR, SECOND, type At, type Seeding } from './seeding.ts';
import { signConsoleUserIn } from '../console-users/change-console-user.ts';
import type { SeededCompany } from './seed-companies.ts';

/** A user with what violations and indications are invented by. */
export interface SeededUser {
  readonly id: number;
  /** What its link with the organization becomes at the end of the past. */
  readonly link: LinkStatus;
  /** Id of the driver that it is; null when it is none. */
  readonly driver: number | null;
  readonly person: GeneratedUser['user'];
  readonly place: Place;
  readonly plates: readonly [string, ...string[]];
}

/** What becomes of a link, in turn. */
const links = ['active', 'pending', 'active', 'inactive', 'active', 'active', 'pending'] as const;

/** Of so many users, one has no licence, and one more is no driver of the organization. */
const LICENSE_CYCLE = 5;
/** People whose licence the registry knows and who are drivers of nobody: numbers that users do not have. */
const DRIVER_CANDIDATES = 400_000_000;

/** Adds the user with this number (from 0) and plays its life: link, licence, SNE, logins. */
export async function seedUser(seeding: Seeding, at: At, number: number): Promise<SeededUser> {
  const { seed, now } = seeding;
  const random = keyedRandom(seed, `days of user:${String(number)}`);
  const last = loginHistory('user', number, false);
  const { user, place, plates } = generateUser(seed, number);
  const link = links[number % links.length] ?? 'active';
  const added = last === null ? now - 3 * SECOND : now - between(random, 30, 600) * DAY;

  const { id } = await addUser(at(added), user);
  seeding.count('users');
  const driver = await seedLicense(seeding, at, number, { id, user, place, added });
  if (link === 'active') await changeUser(at(added + DAY), id, { status: 'active' });
  if (last !== null) {
    const owner = { kind: 'user', id } as const;
    const first = { steps: ['credentials', 'password'], end: 'disconnected' } as const;
    await seedLogin(at, owner, first, added + HOUR);
    await seedSne(at, owner, sneHistory(number), { since: added + 2 * DAY, now });
    await skipOverdueSteps(at(now), ['user-login', 'user-session', 'user-sne'], id);
    await seedLogin(at, owner, last, now - attemptedAgo[last.end]);
  }
  return { id, link, driver, person: user, place, plates };
}

/** @returns the id of the driver that the user is, or null. */
async function seedLicense(
  seeding: Seeding,
  at: At,
  number: number,
  user: Pick<GeneratedUser, 'user' | 'place'> & { readonly id: number; readonly added: number },
): Promise<number | null> {
  const { seed, now, today } = seeding;
  const turn = number % LICENSE_CYCLE;
  if (turn === LICENSE_CYCLE - 1) return null;
  const { id, place, added } = user;
  const { name, tax_id } = user.user;
  const random = keyedRandom(seed, `license of user:${String(number)}`);
  const license = generateLicense(random, { name, place, now: new Date(now).toISOString(), today });
  await storeUserDriverLicense(at(added + HOUR), id, license);
  if (turn === LICENSE_CYCLE - 2) return null;
  const driver = await addDriver(at(added + 2 * HOUR), tax_id);
  seeding.count('drivers');
  return driver.id;
}

/** Puts somebody into the registry of licences who is not in the organization: to be added as a driver. @returns the CPF */
export async function seedDriverCandidate(
  { seed, now, today }: Seeding,
  at: At,
  number: number,
): Promise<string> {
  const { user, place } = generateUser(seed, DRIVER_CANDIDATES + number);
  const { name, tax_id } = user;
  const random = keyedRandom(seed, `license of stranger:${String(number)}`);
  const {
    license = null,
    points,
    status,
    issue_date = null,
    expiration_date = null,
  } = generateLicense(random, {
    name,
    place,
    now: new Date(now).toISOString(),
    today,
  });
  const value = points?.value ?? null;
  await registerLicense(at(now), {
    tax_id,
    name,
    license,
    points: value,
    status,
    issue_date,
    expiration_date,
  });
  return tax_id;
}

/** The links of some users end: from now on their data is not available, and nothing is told. */
export async function endLinks({ now }: Seeding, at: At, users: readonly SeededUser[]): Promise<void> {
  for (const { id, link } of users)
    if (link === 'inactive') await changeUser(at(now), id, { status: 'inactive' });
}

const ID_LENGTH = 16;
/** Sees so many companies at most. */
const MAX_GROUP = 6;

/** Adds the console user with this number (from 0), with a group of the companies. */
export async function seedConsoleUser(
  seeding: Seeding,
  at: At,
  number: number,
  companies: readonly SeededCompany[],
): Promise<void> {
  const { seed, organization, now } = seeding;
  const random = keyedRandom(seed, `console user:${String(organization)}:${String(number)}`);
  const name = generateName(random);
  const wanted = between(random, 1, Math.min(MAX_GROUP, companies.length));
  const first = between(random, 0, companies.length - 1);
  const seen = Array.from({ length: wanted }, (_, place) => companies[(first + place) % companies.length]);
  const signIn = {
    name,
    email: emailOf(name, number + 1, 'frota.example'),
    ...(random() < 0.7 && { external_uid: `console-${String(number + 1)}` }),
    companies: seen.flatMap((company) => (company === undefined ? [] : [{ tax_id: company.taxId }])),
  };
  const id = `cu_${characters(random, LETTERS + LETTERS.toLowerCase() + DIGITS, ID_LENGTH)}`;
  // Unlike the id it opens something, so it must not follow from the seed.
  const token = seeding.drawSecret();
  await signConsoleUserIn(at(now - between(random, 1, 35) * DAY), signIn, { id, token });
  seeding.count('console users');
}
