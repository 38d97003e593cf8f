/** The controls of violations, webhooks and chaos, and those of all parts in one list. */
import { type Control, control } from './control.ts';
import { indicationControls } from './indication-controls.ts';
import { loginControls } from './login-controls.ts';
import { registryControls } from './registry-controls.ts';
import { slipControls } from './slip-controls.ts';
import { stepControls } from './step-controls.ts';
import { timeControls } from './time-controls.ts';
import { calm, chaosRates } from '../webhooks/chaos/chaos-rates.ts';
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
import { countWebhooks } from '../webhooks/outbox/outbox.ts';
import {
  listDeadWebhooks,
  resendDeadWebhook,
  resendDeadWebhooks,
  type DeadWebhook,
} from '../webhooks/outbox/dead-webhooks.ts';

/** Reads and sets the chaos rates. */
const chaosControls: readonly Control[] = [
  control(
    {
      method: 'get',
      path: '/chaos',
      summary: 'The rates of effects on webhooks and the API, from 0 (never) to 1 (always)',
    },
    (_, { sender }) => Promise.resolve({ data: sender.chaos() }),
  ),
  control(
    {
      method: 'put',
      path: '/chaos',
      summary: 'Set the rates; omitted ones become 0',
      body: chaosRates,
    },
    ({ body: rates }, { sender }) => {
      sender.setChaos({ ...sender.chaos(), rates });
      return Promise.resolve({ data: sender.chaos() });
    },
  ),
  control({ method: 'delete', path: '/chaos', summary: 'Set all rates to 0' }, (_, { sender }) => {
    sender.setChaos({ ...sender.chaos(), rates: calm });
    return Promise.resolve({ data: sender.chaos() });
  }),
];

const violation = ['citation', 'warning', 'pending', 'paid', 'overdue', 'canceled', 'suspended'] as const;

/** Decisions of agencies on violations, charges and appeals. */
const violationControls: readonly Control[] = [
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

/** Maximum number of dead webhooks on a page. */
const MAX_LIMIT = 100;
const limit = numericId.pipe(
  z
    .int()
    .min(1)
    .max(MAX_LIMIT, { error: `expected ${String(MAX_LIMIT)} or less` }),
);

/** Counts webhooks, and lists and resends dead ones. */
const webhookControls: readonly Control[] = [
  control(
    { method: 'get', path: '/webhooks', summary: 'Number of webhooks in each status' },
    async (_, { provider }) => ({ data: await countWebhooks(provider) }),
  ),
  control(
    {
      method: 'get',
      path: '/webhooks/dead',
      summary: 'Dead webhooks, oldest first; the next page starts after the id of the last one',
      query: z.object({ after: numericId.optional(), limit: limit.optional() }),
    },
    async ({ query: { after = 0, limit = MAX_LIMIT } }, { provider }) => ({
      data: (await listDeadWebhooks(provider, { after, limit })).map(deadRecord),
    }),
  ),
  control(
    { method: 'post', path: '/webhooks/dead/resend', summary: 'Resend all dead webhooks' },
    async (_, { provider }) => ({ data: { resent: await resendDeadWebhooks(provider) } }),
  ),
  control(
    {
      method: 'post',
      path: '/webhooks/dead/{id}/resend',
      summary: 'Resend a dead webhook',
      params: z.object({ id: numericId }),
    },
    async ({ params: { id } }, { provider }) => {
      await resendDeadWebhook(provider, id);
      return { data: { resent: 1 } };
    },
  ),
];

function deadRecord({ recordedAt, endedAt, ...webhook }: DeadWebhook) {
  return { ...webhook, recorded_at: recordedAt, ended_at: endedAt };
}

/** Every route of `/control`. */
export const allControls: readonly Control[] = [
  ...timeControls,
  ...stepControls,
  ...loginControls,
  ...slipControls,
  ...violationControls,
  ...indicationControls,
  ...registryControls,
  ...webhookControls,
  ...chaosControls,
];
