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

/** On a page of dead ones, at most. */
const MOST = 100;
const limit = numericId.pipe(
  z
    .int()
    .min(1)
    .max(MOST, { error: `expected ${String(MOST)} or less` }),
);

/** What became of webhooks, and how they are sent again. */
export const webhookControls: readonly Control[] = [
  control(
    { method: 'get', path: '/webhooks', summary: 'How many webhooks there are in each status' },
    async (_, { provider }) => ({ data: await countWebhooks(provider) }),
  ),
  control(
    {
      method: 'get',
      path: '/webhooks/dead',
      summary: 'Those given up after their last try, oldest first; go on with after, the id of the last',
      query: z.object({ after: numericId.optional(), limit: limit.optional() }),
    },
    async ({ query: { after = 0, limit = MOST } }, { provider }) => ({
      data: (await listDeadWebhooks(provider, { after, limit })).map(deadRecord),
    }),
  ),
  control(
    { method: 'post', path: '/webhooks/dead/resend', summary: 'Send all again that were given up' },
    async (_, { provider }) => ({ data: { resent: await resendDeadWebhooks(provider) } }),
  ),
  control(
    {
      method: 'post',
      path: '/webhooks/dead/{id}/resend',
      summary: 'Send one again that was given up',
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
