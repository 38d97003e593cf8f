/** Seeds traffic violations. */
import { DAY_MS } from '../../src/kernel/time/durations.ts';
import type { AppealStatus } from '../appeals/appeal.ts';
import { addAppeal, decideAppeal } from '../appeals/change-appeal.ts';
import { startOfDay } from '../brazilian-day.ts';
import { keyedRandom } from '../keyed-random.ts';
import { playViolationTicket } from '../scenario/step-slips.ts';
import { indicationUnavailableReason } from '../traffic-violations/availability.ts';
import {
  addTrafficViolations,
  type NewTrafficViolation,
} from '../traffic-violations/change-traffic-violation.ts';
import { requestViolationTicket } from '../violation-tickets/change-violation-ticket.ts';
import { generateViolation } from './generate-violation.ts';
import { cycle, pick } from './pick.ts';
import type { SeededCompany } from './seed-companies.ts';
import { seedIndication } from './seed-indication.ts';
import { seedSlip, slipHistory, type SlipFamily } from './seed-slip.ts';
import type { SeededUser } from './seed-users.ts';
import type { At, Seeding } from './seeding.ts';

/** The companies and users that violations belong to. */
export interface Fleet {
  readonly companies: readonly [SeededCompany, ...SeededCompany[]];
  readonly users: readonly [SeededUser, ...SeededUser[]];
}

/** Share of the violations that belong to a company and a user. */
const KNOWN_DRIVER_SHARE = 0.18;
/** Share of the violations that belong to a user and no company. */
const USER_ALONE_SHARE = 0.12;
/** One of this many payable violations has a payment slip. */
const SLIP_ONE_IN = 10;
/** One of this many violations that allow an indication has one. */
const INDICATION_ONE_IN = 8;
/** One of this many violations with a penalty has an appeal. */
const APPEAL_ONE_IN = 60;

/**
 * Creates a function that seeds a batch of violations with their payment slips,
 * indications and appeals. It counts on from batch to batch, so that batches of
 * any size have the same result.
 */
export function createViolationSeeder(seeding: Seeding, fleet: Fleet) {
  const counts = { payable: 0, indicable: 0, penalized: 0 };
  const drivers = fleet.users.flatMap(({ driver }) => driver ?? []);

  return async function seedViolations(at: At, first: number, count: number): Promise<void> {
    const violations = Array.from({ length: count }, (_, index) =>
      generateFleetViolation(seeding, fleet, first + index),
    );
    const ids = await addTrafficViolations(at(seeding.now), violations);
    seeding.count('traffic violations', count);
    for (const [index, violation] of violations.entries()) {
      const id = ids[index];
      if (id !== undefined) await seedDependents(at, id, violation);
    }
  };

  async function seedDependents(at: At, id: number, violation: NewTrafficViolation): Promise<void> {
    const { now, today } = seeding;
    const notice = violation.penalty_notice_date ?? violation.violation_notice_date ?? today;
    const since = Math.min(now, Date.parse(startOfDay(notice)));
    if (violation.payable === 1 && isNth((counts.payable += 1), SLIP_ONE_IN))
      await seedTicket(seeding, at, counts.payable / SLIP_ONE_IN - 1, { id, since });
    const { status, indication_deadline = null } = violation;
    if (
      indicationUnavailableReason({ status, indication_deadline }, today) === null &&
      isNth((counts.indicable += 1), INDICATION_ONE_IN)
    ) {
      const number = counts.indicable / INDICATION_ONE_IN - 1;
      const violationToIndicate = { id, since, deadline: indication_deadline ?? today };
      await seedIndication(seeding, at, number, violationToIndicate, cycle(fleet.users, number));
    }
    if (violation.penalty_notice_date != null && isNth((counts.penalized += 1), APPEAL_ONE_IN)) {
      const number = counts.penalized / APPEAL_ONE_IN - 1;
      const driver = drivers[number % drivers.length];
      if (driver !== undefined) await seedAppeal(seeding, at, number, { violation: id, driver });
    }
  }
}

function isNth(count: number, oneIn: number): boolean {
  return count % oneIn === 0;
}

/** Generates the violation with this number (from 0) for a company, a user, or both. */
function generateFleetViolation(
  { seed, today }: Seeding,
  { companies, users }: Fleet,
  number: number,
): NewTrafficViolation {
  const random = keyedRandom(seed, `violation:${String(number)}`);
  const share = random();
  const company = pick(random, companies);
  const user = pick(random, users);
  const isOfUser = share < USER_ALONE_SHARE;
  const { place, plates } = isOfUser ? user : company;
  const hasUser = isOfUser || share < USER_ALONE_SHARE + KNOWN_DRIVER_SHARE;
  return {
    ...generateViolation(random, { today, plate: pick(random, plates), near: place }),
    company_id: isOfUser ? null : company.id,
    user_id: hasUser ? user.id : null,
  };
}

async function seedTicket(
  seeding: Seeding,
  at: At,
  number: number,
  { id, since }: { readonly id: number; readonly since: number },
): Promise<void> {
  const history = slipHistory(number);
  const family = {
    process: 'violation-ticket',
    counted: 'payment slips of traffic violations',
    request: (change) => requestViolationTicket(change, id, history.discount),
    move: playViolationTicket,
  } satisfies SlipFamily;
  const share = keyedRandom(seeding.seed, `slip of violation:${String(id)}`)();
  await seedSlip(seeding, at, history, family, { since, share });
}

/** The decisions of one case. After a rejection, the next legal instance decides. */
const appealHistories: readonly [readonly AppealStatus[], ...(readonly AppealStatus[])[]] = [
  ['pending'],
  ['accepted'],
  ['rejected', 'pending'],
  ['deferred'],
  ['rejected', 'rejected', 'pending'],
  ['rejected', 'accepted'],
  ['rejected', 'rejected', 'rejected'],
];

/** One of this many cases is about a procedure, a record that the provider does not have. */
const PROCEDURE_ONE_IN = 8;

/** Seeds the appeals of one case. @param number of the case, from 0. */
async function seedAppeal(
  seeding: Seeding,
  at: At,
  number: number,
  { violation, driver }: { readonly violation: number; readonly driver: number },
): Promise<void> {
  const isProcedure = number % PROCEDURE_ONE_IN === PROCEDURE_ONE_IN - 1;
  const appeal = {
    user_id: driver,
    reference_object_id: violation,
    reference_object_type: isProcedure ? 'procedure' : 'traffic_ticket',
  } as const;
  let time = seeding.now - 45 * DAY_MS;
  for (const status of cycle(appealHistories, number)) {
    const { id } = await addAppeal(at(time), appeal);
    seeding.count('appeals');
    time += 12 * DAY_MS;
    if (status !== 'pending') await decideAppeal(at(time), id, status);
    time += DAY_MS;
  }
}
