/** Seeds companies. */
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../src/kernel/time/durations.ts';
import { keyedRandom } from '../keyed-random.ts';
import { addDays, brazilianDay, startOfDay } from '../brazilian-day.ts';
import { expireCertificate, registerCertificate } from '../companies/change-certificate.ts';
import { addCompany } from '../companies/change-company.ts';
import { skipOverdueSteps } from '../scenario/schedule-step.ts';
import { finishImport } from '../sync/company-import.ts';
import type { Place } from './brazilian-places.ts';
import { generateCompany } from './generate-company.ts';
import { between, cycle } from './pick.ts';
import {
  attemptAge,
  loginHistory,
  seedLogin,
  seedSne,
  sneHistory,
  type LoginHistory,
} from './seed-connections.ts';
import type { At, Seeding } from './seeding.ts';

/** A seeded company, with what its violations are generated from. */
export interface SeededCompany {
  readonly id: number;
  readonly taxId: string;
  readonly place: Place;
  readonly plates: readonly [string, ...string[]];
}

/** The certificates of companies at the end of the history. */
const certificates = ['valid', null, 'valid', 'expired', null] as const;
const CERTIFICATE_MS = 365 * DAY_MS;
/** One of this many companies is so new that its first import still runs. */
const NEW_ONE_IN = 12;

/** The last login of a company whose certificate has expired. */
const rejectedCertificate = { end: 'failed', error: 'Certificado recusado' } as const;

const processes = ['company-login', 'company-session', 'company-sne', 'company-certificate'] as const;

/** Seeds the company with this number (from 0) and its history: certificate, first import, SNE, logins. */
export async function seedCompany(seeding: Seeding, at: At, number: number): Promise<SeededCompany> {
  const { now } = seeding;
  const isNew = number % NEW_ONE_IN === NEW_ONE_IN - 1;
  const certificate = isNew ? null : cycle(certificates, number);
  const last = isNew
    ? loginHistory('company', 0, false)
    : loginHistory('company', number, certificate !== null);
  const { company, place, plates } = generateCompany(seeding.seed, number, last !== null);
  const times = timesOf(seeding, number, { isNew, certificate });

  const { id, tax_id } = await addCompany(at(times.added), company);
  seeding.count('companies');
  const seeded = { id, taxId: tax_id ?? '', place, plates };
  if (last === null) return seeded;
  const owner = { kind: 'company', id } as const;
  if (isNew) {
    await seedLogin(at, owner, last, now - 30 * SECOND_MS);
    return seeded;
  }
  if (certificate !== null) {
    const validity = { validFrom: times.certified, validTo: times.certified + CERTIFICATE_MS };
    await registerCertificate(at(times.certified), id, validity);
  }
  const first = { steps: stepsOf(last, certificate), end: 'disconnected' } as const;
  await seedLogin(at, owner, first, times.signedIn);
  await finishImport(at(times.signedIn + HOUR_MS), id);
  if (times.expired !== null) await expireCertificate(at(times.expired), id);
  await seedSne(at, owner, sneHistory(number), { since: times.signedUp, now });
  await skipOverdueSteps(at(now), processes, id);
  const history = certificate === 'expired' ? { ...first, ...rejectedCertificate } : last;
  await seedLogin(at, owner, history, now - attemptAge[history.end]);
  return seeded;
}

function stepsOf({ steps }: LoginHistory, certificate: 'valid' | 'expired' | null): LoginHistory['steps'] {
  return certificate === null ? steps : ['credentials', 'certificate'];
}

/** Draws the times of a company's history, in milliseconds since 1970, each after the one before. */
function timesOf(
  { seed, now }: Seeding,
  number: number,
  { isNew, certificate }: { readonly isNew: boolean; readonly certificate: 'valid' | 'expired' | null },
) {
  const random = keyedRandom(seed, `days of company:${String(number)}`);
  const daysAgo = (min: number, max: number) =>
    now - between(random, min, max) * DAY_MS - between(random, 0, 9) * HOUR_MS;
  const certified = daysAgo(40, 300) - (certificate === 'expired' ? CERTIFICATE_MS : 0);
  const added = isNew ? now - HOUR_MS : certified - between(random, 0, 300) * DAY_MS - HOUR_MS;
  const signedIn = certified + HOUR_MS;
  const expired =
    certificate === 'expired'
      ? Date.parse(startOfDay(addDays(brazilianDay(certified + CERTIFICATE_MS), 1)))
      : null;
  return { added, certified, signedIn, expired, signedUp: (expired ?? signedIn) + DAY_MS };
}
