/** Controls of violations, charges and appeals. */
import { z } from 'zod';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { closedSet } from '../../src/contract/field/schemas.ts';
import { anttViolationStatuses } from '../../src/contract/record/antt-violation.ts';
import { moveAnttViolation } from '../antt-violations/change-antt-violation.ts';
import { decideAppeal } from '../appeals/change-appeal.ts';
import type { Change } from '../change.ts';
import { moveCharge } from '../charges/change-charge.ts';
import { moveTrafficViolation } from '../traffic-violations/change-traffic-violation.ts';
import { changeRecord, type ControlledRecord } from './change-record.ts';
import { control, type Control } from './control.ts';

const violation = ['citation', 'warning', 'pending', 'paid', 'overdue', 'canceled', 'suspended'] as const;

/** Decisions of agencies on violations, charges and appeals. */
export const violationControls: readonly Control[] = [
  statusControl('/traffic-violations', 'Traffic violation', violation, moveTrafficViolation),
  statusControl('/antt/violations', 'ANTT violation', anttViolationStatuses, moveAnttViolation),
  statusControl('/charges', 'Charge', ['pending', 'paid', 'overdue'], moveCharge),
  statusControl('/appeals', 'Appeal', ['accepted', 'rejected', 'deferred'], decideAppeal),
];

function statusControl<const Statuses extends readonly [string, ...string[]]>(
  path: string,
  name: ControlledRecord,
  statuses: Statuses,
  move: (change: Change, id: number, status: Statuses[number]) => Promise<object>,
): Control {
  return control(
    {
      method: 'post',
      path: `${path}/{id}/status`,
      summary: `${name}: set its status`,
      params: z.object({ id: numericId }),
      body: z.strictObject({ status: closedSet(statuses) }),
    },
    async ({ params: { id }, body: { status } }, { provider }) => ({
      data: await changeRecord(provider, name, id, (change) => move(change, id, status)),
    }),
  );
}
