/** Controls of webhooks. */
import { z } from 'zod';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { countWebhooks } from '../webhooks/outbox/count-webhooks.ts';
import {
  listDeadWebhooks,
  resendDeadWebhook,
  resendDeadWebhooks,
  type DeadWebhook,
} from '../webhooks/outbox/dead-webhooks.ts';
import { control, type Control } from './control.ts';

/** Maximum number of dead webhooks on a page. */
const MAX_LIMIT = 100;
const limit = numericId.pipe(
  z
    .int()
    .min(1)
    .max(MAX_LIMIT, { error: `expected ${String(MAX_LIMIT)} or less` }),
);

/** Counts webhooks, and lists and resends dead ones. */
export const webhookControls: readonly Control[] = [
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
