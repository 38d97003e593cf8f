import { keyedRandom } from '../keyed-random.ts';
import type { NewUser } from '../users/change-user.ts';
import { places, type Place } from './brazilian-places.ts';
import { emailOf, inventName, inventPhone } from './invent-person.ts';
import { inventPlate } from './invent-plate.ts';
import { inventCpf } from './invent-tax-id.ts';
import { pick } from './pick.ts';

export interface InventedUser {
  readonly user: NewUser;
  readonly place: Place;
  /** Of the user's own vehicle. */
  readonly plates: readonly [string];
}

const EMAIL_SHARE = 0.9;
const PHONE_SHARE = 0.85;

/** The user with this number (from 0): the same whatever else is invented. */
export function inventUser(seed: number, number: number): InventedUser {
  const random = keyedRandom(seed, `user:${String(number)}`);
  const place = pick(random, places);
  const name = inventName(random);
  const hasEmail = random() < EMAIL_SHARE;
  const phone = inventPhone(random, place);
  return {
    user: {
      tax_id: inventCpf(seed, number),
      name,
      external_uid: `mot-${String(number + 1).padStart(5, '0')}`,
      ...(hasEmail && { email: emailOf(name, number + 1, 'motoristas.example') }),
      ...(random() < PHONE_SHARE && { phone: `+55${phone}` }),
    },
    place,
    plates: [inventPlate(random)],
  };
}
