/** Maps each process of the scenario to the function that performs its steps. */
import type { Change } from '../change.ts';
import { expireCertificate } from '../companies/change-certificate.ts';
import { stepDayOver } from '../day-over/step-day-over.ts';
import { stepImport } from '../sync/company-import.ts';
import type { Draw } from './draw.ts';
import type { Process } from './scenario-tables.ts';
import { stepIndication } from './step-indication.ts';
import { stepLogin, stepSession } from './step-login.ts';
import { stepAnttTicket, stepChargeSlip, stepViolationTicket } from './step-slips.ts';
import { stepSne } from './step-sne.ts';

type Perform = (change: Change, subjectId: number, draw: Draw) => Promise<void>;

const performers: Readonly<Record<Process, Perform>> = {
  'company-login': (change, id, draw) => stepLogin(change, { kind: 'company', id }, draw),
  'user-login': (change, id, draw) => stepLogin(change, { kind: 'user', id }, draw),
  'company-session': (change, id) => stepSession(change, { kind: 'company', id }),
  'user-session': (change, id) => stepSession(change, { kind: 'user', id }),
  'company-sne': (change, id, draw) => stepSne(change, { kind: 'company', id }, draw),
  'user-sne': (change, id, draw) => stepSne(change, { kind: 'user', id }, draw),
  'company-certificate': (change, id) => expireCertificate(change, id),
  'company-import': stepImport,
  'charge-slip': stepChargeSlip,
  'antt-ticket': stepAnttTicket,
  'violation-ticket': stepViolationTicket,
  indication: stepIndication,
  'day-over': (change) => stepDayOver(change),
};

/** Performs a step of the scenario. @throws HttpError when it is no longer possible. */
export function performStep(change: Change, process: Process, subjectId: number, draw: Draw): Promise<void> {
  return performers[process](change, subjectId, draw);
}
