import { keyedRandom } from '../../src/kernel/random/keyed-random.ts';
import { startOfDay } from '../brazilian-day.ts';
import { playViolationTicket } from '../scenario/step-slips.ts';
import {
  addTrafficViolations,
  type NewTrafficViolation,
} from '../traffic-violations/change-traffic-violation.ts';
import { indicationUnavailableReason } from '../traffic-violations/availability.ts';
import { requestViolationTicket } from '../violation-tickets/change-violation-ticket.ts';
import { generateViolation } from './generate-violation.ts';
import { pick } from './pick.ts';
import type { SeededCompany } from './seed-companies.ts';
import { seedIndication } from './seed-indication.ts';
import { seedSlip, slipHistory } from './seed-slip.ts';
import type { SeededUser } from './seed-users.ts';
import { type At, type Seeding, DAY } from './seeding.ts';
import { addAppeal, decideAppeal } from '../appeals/change-appeal.ts';
import type { AppealStatus } from '../appeals/appeal-tables.ts';

/** Whose violations there can be. */
export interface Fleet {
  readonly companies: readonly [SeededCompany, ...SeededCompany[]];
  readonly users: readonly [SeededUser, ...SeededUser[]];
}

/** Of the violations: those of a company whose driver is known, and those of a user alone. */
const KNOWN_DRIVER_SHARE = 0.18;
const USER_ALONE_SHARE = 0.12;
/** Of so many violations that allow it, one has a payment slip, an indication, an appeal. */
const SLIP_ONE_IN = 10;
const INDICATION_ONE_IN = 8;
const APPEAL_ONE_IN = 60;

/** How many there were so far that allow something. */
interface Turns {
  payable: number;
  indicable: number;
  penalized: number;
}

/** Adds violations and what belongs to them, batch by batch; each has a number that goes on from one to the next. */
export function createViolationSeeder(seeding: Seeding, fleet: Fleet) {
  const turns: Turns = { payable: 0, indicable: 0, penalized: 0 };
  const drivers = fleet.users.flatMap(({ driver }) => driver ?? []);

  return async function seedViolations(at: At, first: number, count: number): Promise<void> {
    const violations = Array.from({ length: count }, (_, index) => invented(seeding, fleet, first + index));
    const ids = await addTrafficViolations(at(seeding.now), violations);
    seeding.count('traffic violations', count);
    for (const [index, violation] of violations.entries()) {
      const id = ids[index];
      if (id !== undefined) await follow(at, id, violation);
    }
  };

  async function follow(at: At, id: number, violation: NewTrafficViolation): Promise<void> {
    const { now, today } = seeding;
    const notice = violation.penalty_notice_date ?? violation.violation_notice_date ?? today;
    const since = Math.min(now, Date.parse(startOfDay(notice)));
    if (violation.payable === 1 && isTurn((turns.payable += 1), SLIP_ONE_IN))
      await seedTicket(seeding, at, turns.payable / SLIP_ONE_IN - 1, { id, since });
    const { status, indication_deadline = null } = violation;
    if (
      indicationUnavailableReason({ status, indication_deadline }, today) === null &&
      isTurn((turns.indicable += 1), INDICATION_ONE_IN)
    ) {
      const number = turns.indicable / INDICATION_ONE_IN - 1;
      const driver = fleet.users[number % fleet.users.length] ?? fleet.users[0];
      await seedIndication(
        seeding,
        at,
        number,
        { id, since, deadline: indication_deadline ?? today },
        driver,
      );
    }
    if (violation.penalty_notice_date != null && isTurn((turns.penalized += 1), APPEAL_ONE_IN)) {
      const number = turns.penalized / APPEAL_ONE_IN - 1;
      const driver = drivers[number % drivers.length];
      if (driver !== undefined) await seedAppeal(seeding, at, number, { violation: id, driver });
    }
  }
}

function isTurn(count: number, oneIn: number): boolean {
  return count % oneIn === 0;
}

/** The violation with this number (from 0), with whom it is of. */
function invented(
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
  const { seed, now } = seeding;
  const fate = slipHistory(number);
  const kind = {
    process: 'violation-ticket' as const,
    async request(from: At, moment: number) {
      const ticket = await requestViolationTicket(from(moment), id, fate.asked);
      seeding.count('payment slips of traffic violations');
      return ticket.id;
    },
    move: (from: At, moment: number, ticket: number, move: Parameters<typeof playViolationTicket>[2]) =>
      playViolationTicket(from(moment), ticket, move),
  };
  const share = keyedRandom(seed, `slip of violation:${String(id)}`)();
  await seedSlip(at, fate, kind, { since, now, share });
}

/** What the instances say to a case, one after another; after a rejection the next one hears it. In turn. */
const appealHistories: readonly (readonly AppealStatus[])[] = [
  ['pending'],
  ['accepted'],
  ['rejected', 'pending'],
  ['deferred'],
  ['rejected', 'rejected', 'pending'],
  ['rejected', 'accepted'],
  ['rejected', 'rejected', 'rejected'],
];

/** Every so many cases, one is about a procedure, which the provider knows nothing of. */
const PROCEDURE_ONE_IN = 8;

/** An appeal of a driver, with those that follow it. @param number of the case, from 0. */
export async function seedAppeal(
  seeding: Seeding,
  at: At,
  number: number,
  { violation, driver }: { readonly violation: number; readonly driver: number },
): Promise<void> {
  const isProcedure = number % PROCEDURE_ONE_IN === PROCEDURE_ONE_IN - 1;
  const about = {
    user_id: driver,
    reference_object_id: violation,
    reference_object_type: isProcedure ? 'procedure' : 'traffic_ticket',
  } as const;
  const said = appealHistories[number % appealHistories.length] ?? [];
  let moment = seeding.now - 45 * DAY;
  for (const status of said) {
    const { id } = await addAppeal(at(moment), about);
    seeding.count('appeals');
    moment += 12 * DAY;
    if (status !== 'pending') await decideAppeal(at(moment), id, status);
    moment += DAY;
  }
}
