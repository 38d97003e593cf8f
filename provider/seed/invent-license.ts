import type { Random } from '../../src/kernel/random.ts';
import { addDays } from '../brazilian-day.ts';
import type { NewUserDriverLicense } from '../users/store-user-driver-license.ts';
import type { Place } from './brazilian-places.ts';
import { between, characters, DIGITS, pick } from './pick.ts';

/** Points in a year that cost the licence; commercial drivers have the same limit (CTB, article 261). */
const POINTS_LIMIT = 40;
const YEAR = 365;
/** A licence is renewed after ten years at the latest. */
const VALID_DAYS = 10 * YEAR;
/** Of all licences, by what has become of them. */
const SUSPENDED_SHARE = 0.04;
const CANCELED_SHARE = 0.02;
const EXPIRED_SHARE = 0.08;

/** A picture of one grey dot: there is no face to show. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

/** A driver licence of somebody: dates, class and points that fit each other and the state. */
export function inventLicense(
  random: Random,
  { name, place, now, today }: { name: string; place: Place; now: string; today: string },
): NewUserDriverLicense {
  const status = inventLicenseStatus(random);
  const isExpired = status === 'Expirada';
  const issued = addDays(
    today,
    -(isExpired ? VALID_DAYS + between(random, 5, 300) : between(random, 30, VALID_DAYS - 60)),
  );
  const first = addDays(issued, -between(random, 2 * YEAR, 25 * YEAR));
  const licenseClass = pick(random, ['B', 'AB', 'C', 'AC', 'D', 'AD', 'E', 'AE']);
  const { state } = place;
  return {
    license: `0${characters(random, DIGITS, 10)}`,
    name,
    points: {
      value: status === 'Suspensa' ? between(random, POINTS_LIMIT, 60) : between(random, 0, POINTS_LIMIT - 1),
      limit: POINTS_LIMIT,
      synced_at: now,
    },
    status,
    class: licenseClass,
    current: status !== 'Cancelada',
    renach: `${state}${characters(random, DIGITS, 9)}`,
    commercial_driver: !['B', 'AB'].includes(licenseClass),
    probationary_license: false,
    current_license_state: state,
    domain_license_state: state,
    issuer_license_state: state,
    issue_date: issued,
    expiration_date: addDays(issued, VALID_DAYS),
    first_license_date: first,
    files: { photo: PICTURE, front: PICTURE, back: PICTURE, qr_code: PICTURE },
  };
}

function inventLicenseStatus(random: Random): NewUserDriverLicense['status'] {
  const share = random();
  if (share < SUSPENDED_SHARE) return 'Suspensa';
  if (share < SUSPENDED_SHARE + CANCELED_SHARE) return 'Cancelada';
  return share < SUSPENDED_SHARE + CANCELED_SHARE + EXPIRED_SHARE ? 'Expirada' : 'Válida';
}
