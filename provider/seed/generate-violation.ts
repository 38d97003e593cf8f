/** Generates traffic violations. */
import type { Random } from '../../src/kernel/random.ts';
import { addDays } from '../brazilian-day.ts';
import type { NewAgency, NewTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import type { ViolationStatus } from '../traffic-violations/traffic-violation-tables.ts';
import { places, type Place } from './brazilian-places.ts';
import { infractions, severities } from './infractions.ts';
import { between, characters, DIGITS, LETTERS, pick } from './pick.ts';

/** The federal road police. The other agencies are the traffic departments of the states. */
const FEDERAL = { code: '000100', name: 'Polícia Rodoviária Federal' };
const FEDERAL_SHARE = 0.3;

/** Maximum age of a violation. */
const MAX_AGE_DAYS = 360;
/** Minimum and maximum days from the violation to its notice. */
const NOTICE_DAYS = [5, 30] as const;
/** Minimum and maximum days from the notice to the deadline of defense and indication. */
const DEADLINE_DAYS = [30, 45] as const;
/** Minimum and maximum days from that deadline to the penalty notice. */
const PENALTY_DAYS = [60, 120] as const;
/** Minimum and maximum days from the penalty notice to the due date. */
const DUE_DAYS = [30, 60] as const;

/** Share of the violations at the place of the vehicle's owner. */
const NEAR_SHARE = 0.7;

/** Share of the violations past their due date that are paid. */
const PAID_SHARE = 0.55;
const CANCELED_SHARE = 0.04;
const SUSPENDED_SHARE = 0.03;
const WARNING_SHARE = 0.05;
/** Interest on an overdue fine per day. */
const DAILY_INTEREST = 0.00033;

/** Returns the agencies of generated violations. */
export function generateAgencies(): readonly NewAgency[] {
  const states = [...new Set(places.map(({ state }) => state))];
  return [
    { ...FEDERAL, sne_indications: 1, sne_tickets: 1 },
    ...states.map((state, at) => ({
      code: agencyCode(state),
      name: `DETRAN-${state}`,
      // Most agencies take part in the SNE, the electronic notification system.
      sne_indications: at % 4 === 3 ? (0 as const) : (1 as const),
      sne_tickets: at % 3 === 2 ? (0 as const) : (1 as const),
    })),
  ];
}

/** Codes of the agencies that issue slips before the penalty notice. */
const slipIssuers = new Set(
  generateAgencies().flatMap(({ code, sne_tickets }) => (sne_tickets === 1 ? [code] : [])),
);

function agencyCode(state: string): string {
  const at = places.findIndex((place) => place.state === state);
  return `1${String(at + 1).padStart(2, '0')}100`;
}

/**
 * Generates a violation within the last year. Its dates, amounts and status are consistent.
 *
 * @param near where the vehicle mostly drives; anywhere by default.
 */
export function generateViolation(
  random: Random,
  { today, plate, near }: { readonly today: string; readonly plate: string; readonly near?: Place },
): Omit<NewTrafficViolation, 'company_id'> {
  const place = near !== undefined && random() < NEAR_SHARE ? near : pick(random, places);
  const infraction = pick(random, infractions);
  const { amount: base, points } = severities[infraction.severity];
  const amount = cents(base * infraction.multiplier);
  const day = addDays(today, -between(random, 1, MAX_AGE_DAYS));
  const notice = addDays(day, between(random, ...NOTICE_DAYS));
  const deadline = addDays(notice, between(random, ...DEADLINE_DAYS));
  const penalty = addDays(deadline, between(random, ...PENALTY_DAYS));
  const due = addDays(penalty, between(random, ...DUE_DAYS));
  const status = statusOn(random, { today, penalty, due, isMild: points <= 4 });
  const isOverdue = status === 'overdue';
  const interest = isOverdue ? cents(amount * DAILY_INTEREST * daysBetween(due, today)) : 0;
  const isWarning = status === 'warning';
  const hasPenalty = penalty <= today && !isWarning;
  const isFederal = random() < FEDERAL_SHARE;
  const agency = isFederal ? FEDERAL.code : agencyCode(place.state);
  // Payable before the penalty notice, with the larger discount, if the driver waives the prior defense.
  const isEarly = status === 'citation' && notice <= today && slipIssuers.has(agency);
  const reais = (sum: number) => (isWarning ? null : sum);
  return {
    agency_code: agency,
    user_id: null,
    ait: `${characters(random, LETTERS, 1)}${characters(random, DIGITS, 9)}`,
    code: infraction.code,
    breakdown: infraction.breakdown,
    license_plate: plate,
    description: infraction.description,
    status,
    payable: status === 'pending' || isOverdue || isEarly ? 1 : 0,
    written_warning: isWarning ? 1 : 0,
    renainf: isFederal ? 1 : 0,
    offender_type: infraction.code === '6831' ? 'shipper' : pick(random, ['driver', 'driver', 'owner']),
    amount: reais(amount),
    interest_amount: reais(interest),
    correction_amount: reais(0),
    updated_amount: reais(cents(amount + interest)),
    amount_updated_at: isWarning ? null : `${today}T03:00:00.000Z`,
    date: `${day}T${timeOfDay(random)}.000Z`,
    violation_notice_date: notice <= today ? notice : null,
    penalty_notice_date: hasPenalty ? penalty : null,
    payment_date: status === 'paid' ? earlier(addDays(due, -between(random, 0, 25)), today) : null,
    due_date: hasPenalty || isEarly ? due : null,
    indication_deadline: notice <= today ? deadline : null,
    preliminary_appeal_deadline: notice <= today ? deadline : null,
    notice_appeal_deadline: hasPenalty ? due : null,
    location: pick(random, place.roads),
    city: place.city,
    state: place.state,
    latitude: degrees(place.latitude + (random() - 0.5) / 10),
    longitude: degrees(place.longitude + (random() - 0.5) / 10),
    legal_basis: infraction.legalBasis,
    severity: infraction.severity,
    multiplier: String(infraction.multiplier),
    points: String(points),
  };
}

function statusOn(
  random: Random,
  on: { readonly today: string; readonly penalty: string; readonly due: string; readonly isMild: boolean },
): ViolationStatus {
  const share = random();
  if (share < CANCELED_SHARE) return 'canceled';
  if (share < CANCELED_SHARE + SUSPENDED_SHARE) return 'suspended';
  if (on.penalty > on.today) return 'citation';
  if (on.isMild && share < CANCELED_SHARE + SUSPENDED_SHARE + WARNING_SHARE) return 'warning';
  const paid = random() < PAID_SHARE;
  if (paid && on.due <= on.today) return 'paid';
  return on.due < on.today ? 'overdue' : 'pending';
}

/** Draws a time of day between 06:00 and 21:00 in Brasília, in UTC. */
function timeOfDay(random: Random): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return [between(random, 9, 23), between(random, 0, 59), between(random, 0, 59)].map(two).join(':');
}

function daysBetween(from: string, to: string): number {
  return (Date.parse(to) - Date.parse(from)) / 86_400_000;
}

const earlier = (one: string, other: string) => (one < other ? one : other);
const cents = (reais: number) => Math.round(reais * 100) / 100;
const degrees = (angle: number) => Math.round(angle * 1e6) / 1e6;
