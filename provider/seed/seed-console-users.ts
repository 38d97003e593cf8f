import { keyedRandom } from '../keyed-random.ts';
import { signConsoleUserIn } from '../console-users/sign-console-user-in.ts';
import { emailOf, inventName } from './invent-person.ts';
import { between, characters, DIGITS, LETTERS } from './pick.ts';
import type { SeededCompany } from './seed-companies.ts';
import { DAY, type At, type Seeding } from './seeding.ts';

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
  const name = inventName(random);
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
