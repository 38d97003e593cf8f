import { onTestFinished } from 'vitest';
import type { Provider } from '../../provider.ts';
import { calm, type ChaosRates } from '../../webhooks/chaos/chaos-rates.ts';
import { startWebhookSender, type WebhookSender } from '../../webhooks/sending/webhook-sender.ts';
import { addWebhookEndpoint, type NewEndpoint } from '../../webhooks/manage-endpoints.ts';
import type { ManualClock } from '../../../src/testing/manual-clock.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { openTestProvider } from './test-provider.ts';
import { startReceiver } from './webhook-receiver.ts';

const LONGER_THAN_GRACE_MS = 10_000;

/** Opens a provider that sends its webhooks to a receiver on loopback. */
export async function openWithSender(
  endpoint: Omit<NewEndpoint, 'url'> = {},
  chaos: Partial<ChaosRates> = {},
) {
  const setup = await openTestProvider();
  const { provider, clock, ours, log } = setup;
  // The test adds its own endpoints.
  await provider.query.deleteFrom('webhook_endpoints').execute();
  const receiver = await startReceiver();
  await addWebhookEndpoint(provider, ours.organization, { url: `${receiver.url}/hook`, ...endpoint });

  const start = () => startSender(provider, clock, { log, chaos: { rates: { ...calm, ...chaos }, seed: 7 } });

  /** Company names in the order of arrival; empty where the body was truncated before the name. */
  const receivedNames = () => receiver.received.map(({ body }) => /"name":"([^"]*)"/.exec(body)?.[1] ?? '');

  async function deliveries() {
    return provider.query
      .selectFrom('webhook_deliveries')
      .select(['id', 'status', 'attempts', 'failure', 'due_at', 'repeats', 'lane'])
      .orderBy('id')
      .execute();
  }

  return {
    ...setup,
    receiver,
    start,
    receivedNames,
    deliveries,
    /** Renames company 1, with one webhook for each name. */
    async rename(...names: readonly string[]) {
      for (const name of names) await ours.put('/v1/companies/1', { name });
    },
    /** Waits until the outbox satisfies a condition. */
    until: (what: string, holds: (rows: Awaited<ReturnType<typeof deliveries>>) => boolean) =>
      eventually(what, async () => holds(await deliveries())),
    /** Advances the clock in steps until the outbox satisfies a condition. */
    passUntil: (what: string, holds: (rows: Awaited<ReturnType<typeof deliveries>>) => boolean) =>
      eventually(what, async () => {
        if (holds(await deliveries())) return true;
        clock.advance(1_000);
        return false;
      }),
  };
}

/** Starts a sender that stops with the test, without waiting for attempts in flight. */
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
