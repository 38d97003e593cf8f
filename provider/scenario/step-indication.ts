/** The steps of an indication in the scenario. */
import { addDays, startOfDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import { moveIndication } from '../indications/change-indication.ts';
import { indications } from '../indications/indication.ts';
import { pendingSigners, refuseDocument, signDocument, viewDocument } from '../indications/sign-document.ts';
import { trafficViolations } from '../traffic-violations/traffic-violation.ts';
import type { Draw } from './draw.ts';
import { nextIndicationMove } from './next-indication-move.ts';
import { scheduleStep } from './schedule-step.ts';

/** Performs the next step of an indication. @throws HttpError 404 when it no longer exists. */
export async function stepIndication(change: Change, id: number, draw: Draw): Promise<void> {
  const { transaction, organization, today } = change;
  const indication = await indications.row(transaction, organization, id);
  const violation = await trafficViolations.row(transaction, organization, indication.traffic_violation_id);
  const { indication_deadline: lastDay } = violation;
  const deadline = lastDay === null ? 'none' : today > lastDay ? 'over' : 'open';
  const next = nextIndicationMove({ ...indication, deadline }, draw);
  const waitForDeadline = async () => {
    if (lastDay !== null)
      await scheduleStep(change, 'indication', id, { at: startOfDay(addDays(lastDay, 1)) });
  };
  switch (next?.to) {
    case undefined:
      return;
    case 'move':
      await moveIndication(change, id, next.status, next.reason);
      return;
    case 'wait':
      return waitForDeadline();
    case 'refuse':
      await refuseDocument(change, id, await nextSigner(change, id), next.reason);
      return waitForDeadline();
    case 'sign': {
      const signer = await nextSigner(change, id);
      // Before signing: the last signature schedules another step.
      await scheduleStep(change, 'indication', id, 'driver answers');
      await viewDocument(change, id, signer);
      return signDocument(change, id, signer);
    }
  }
}

/** Returns the token of the next signer; an empty string when all have signed. */
async function nextSigner(change: Change, id: number): Promise<string> {
  const [signer = ''] = await pendingSigners(change, id);
  return signer;
}
