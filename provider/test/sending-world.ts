import { onTestFinished } from 'vitest';
import type { Provider } from '../provider.ts';
import { calm, type ChaosRates } from '../webhooks/chaos/chaos-rates.ts';
import { startWebhookSender } from '../webhooks/sending/webhook-sender.ts';
import { addWebhookEndpoint, type NewEndpoint } from '../webhooks/webhook-endpoint.ts';
import type { WebhookSender } from '../webhooks/sending/webhook-sender.ts';
import type { ManualClock } from '../../src/testing/manual-clock.ts';
import { eventually } from '../../test/support/eventually.ts';
import { openTestProvider } from './test-provider.ts';
import { startReceiver } from './webhook-receiver.ts';

const LONGER_THAN_GRACE_MS = 10_000;

/** A provider whose webhooks are really sent, to a receiver on loopback. */
export async function openSendingWorld(
  endpoint: Omit<NewEndpoint, 'url'> = {},
  chaos: Partial<ChaosRates> = {},
) {
  const world = await openTestProvider();
  const { provider, clock, ours, log } = world;
  // Only what the test adds.
  await provider.query.deleteFrom('webhook_endpoints').execute();
  const receiver = await startReceiver();
  await addWebhookEndpoint(provider, ours.organization, { url: `${receiver.url}/hook`, ...endpoint });

  const start = () => startSender(provider, clock, { log, chaos: { rates: { ...calm, ...chaos }, seed: 7 } });

  /** Names of companies, in the order in which they were told; empty where that part was cut off. */
  const told = () => receiver.received.map(({ body }) => /"name":"([^"]*)"/.exec(body)?.[1] ?? '');

  async function deliveries() {
    return provider.query
      .selectFrom('webhook_deliveries')
      .select(['id', 'status', 'attempts', 'failure', 'due_at', 'repeats', 'lane'])
      .orderBy('id')
      .execute();
  }

  return {
    ...world,
    receiver,
    start,
    told,
    deliveries,
    /** Changes a company's name so often: one webhook each. */
    async rename(...names: readonly string[]) {
      for (const name of names) await ours.put('/v1/companies/1', { name });
    },
    /** Waits for the outbox to hold that. */
    until: (what: string, holds: (rows: Awaited<ReturnType<typeof deliveries>>) => boolean) =>
      eventually(what, async () => holds(await deliveries())),
    /** Moves time on, step by step, until the outbox holds that. */
    passUntil: (what: string, holds: (rows: Awaited<ReturnType<typeof deliveries>>) => boolean) =>
      eventually(what, async () => {
        if (holds(await deliveries())) return true;
        clock.advance(1_000);
        return false;
      }),
  };
}

/** Stopped when the test ends, without waiting for what is on its way. */
async function startSender(
  provider: Provider,
  clock: ManualClock,
  options: Parameters<typeof startWebhookSender>[1],
): Promise<WebhookSender> {
  const sender = await startWebhookSender(provider, options);
  onTestFinished(async () => {
    const stopped = sender.stop();
    clock.advance(LONGER_THAN_GRACE_MS);
    await stopped;
  });
  return sender;
}
