import { addAppeal } from '../appeals/add-appeal.ts';
import type { AppealStatus } from '../appeals/appeal-tables.ts';
import { decideAppeal } from '../appeals/decide-appeal.ts';
import { DAY, type At, type Seeding } from './seeding.ts';

/** What the instances say to a case, one after another; after a rejection the next one hears it. In turn. */
const fates: readonly (readonly AppealStatus[])[] = [
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
  const said = fates[number % fates.length] ?? [];
  let moment = seeding.now - 45 * DAY;
  for (const status of said) {
    const { id } = await addAppeal(at(moment), about);
    seeding.count('appeals');
    moment += 12 * DAY;
    if (status !== 'pending') await decideAppeal(at(moment), id, status);
    moment += DAY;
  }
}
