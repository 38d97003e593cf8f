import { keyedRandom } from '../../src/kernel/random/keyed-random.ts';
import { addDays, brazilianDay, startOfDay } from '../brazilian-day.ts';
import { expireCertificate, registerCertificate } from '../companies/change-certificate.ts';
import { addCompany } from '../companies/change-company.ts';
import { skipOverdueSteps } from '../scenario/schedule-step.ts';
import { finishImport } from '../sync/company-import.ts';
import type { Place } from './brazilian-places.ts';
import { inventCompany } from './invent-company.ts';
import { between } from './pick.ts';
import { attemptedAgo, loginFate, playLogin, type LoginFate } from './play-login.ts';
import { playSne, sneFate } from './play-sne.ts';
import { DAY, HOUR, SECOND, type At, type Seeding } from './seeding.ts';

/** A company with what its violations are invented by. */
export interface SeededCompany {
  readonly id: number;
  readonly taxId: string;
  readonly place: Place;
  readonly plates: readonly [string, ...string[]];
}

/** What a company has of a certificate, in turn. */
const certificates = ['valid', null, 'valid', 'expired', null] as const;
const CERTIFICATE_LASTS = 365 * DAY;
/** Of so many companies, the last is so new that its first import still runs. */
const NEW_ONE_IN = 12;

/** Adds the company with this number (from 0) and plays its life: certificate, first import, SNE, logins. */
export async function seedCompany(seeding: Seeding, at: At, number: number): Promise<SeededCompany> {
  const { now } = seeding;
  const isNew = number % NEW_ONE_IN === NEW_ONE_IN - 1;
  const certificate = isNew ? null : (certificates[number % certificates.length] ?? null);
  const last = isNew ? loginFate('company', 0, false) : loginFate('company', number, certificate !== null);
  const { company, place, plates } = inventCompany(seeding.seed, number, last !== null);
  const days = daysOf(seeding, number, { isNew, certificate });

  const { id, tax_id } = await addCompany(at(days.added), company);
  seeding.count('companies');
  const seeded = { id, taxId: tax_id ?? '', place, plates };
  if (last === null) return seeded;
  const owner = { kind: 'company', id } as const;
  if (isNew) {
    await playLogin(at, owner, last, now - 30 * SECOND);
    return seeded;
  }
  if (certificate !== null) {
    const validity = { validFrom: days.certified, validTo: days.certified + CERTIFICATE_LASTS };
    await registerCertificate(at(days.certified), id, validity);
  }
  const first = { steps: stepsOf(last, certificate), end: 'disconnected' } as const;
  await playLogin(at, owner, first, days.signedIn);
  await finishImport(at(days.signedIn + HOUR), id);
  if (days.expired !== null) await expireCertificate(at(days.expired), id);
  await playSne(at, owner, sneFate(number), { since: days.asked, now });
  await skipOverdueSteps(at(now), processes, id);
  const fate = certificate === 'expired' ? { ...first, ...refused } : last;
  await playLogin(at, owner, fate, now - attemptedAgo[fate.end]);
  return seeded;
}

const refused = { end: 'failed', error: 'Certificado recusado' } as const;

function stepsOf({ steps }: LoginFate, certificate: 'valid' | 'expired' | null): LoginFate['steps'] {
  return certificate === null ? steps : ['credentials', 'certificate'];
}

const processes = ['company-login', 'company-session', 'company-sne', 'company-certificate'] as const;

/** When what happened to the company with this number, each after the one before. */
function daysOf(
  { seed, now }: Seeding,
  number: number,
  { isNew, certificate }: { readonly isNew: boolean; readonly certificate: 'valid' | 'expired' | null },
) {
  const random = keyedRandom(seed, `days of company:${String(number)}`);
  const before = (least: number, most: number) =>
    now - between(random, least, most) * DAY - between(random, 0, 9) * HOUR;
  const certified = before(40, 300) - (certificate === 'expired' ? CERTIFICATE_LASTS : 0);
  const added = isNew ? now - HOUR : certified - between(random, 0, 300) * DAY - HOUR;
  const signedIn = certified + HOUR;
  const expired =
    certificate === 'expired'
      ? Date.parse(startOfDay(addDays(brazilianDay(certified + CERTIFICATE_LASTS), 1)))
      : null;
  return { added, certified, signedIn, expired, asked: (expired ?? signedIn) + DAY };
}
