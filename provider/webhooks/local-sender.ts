import type { Logger } from '../../src/kernel/logger.ts';
import type { Provider } from '../provider.ts';
import { openLocalOutbox } from './local-outbox.ts';
import { runSender } from './run-sender.ts';
import type { Chaos } from './send-delivery.ts';
import { newCounts } from './sender-counts.ts';
import type { WebhookSender } from './webhook-sender.ts';

/** Sends in the provider's own thread, by its connection. */
export async function startLocalSender(
  provider: Provider,
  { log, chaos: first }: { readonly log: Logger; readonly chaos: Chaos },
): Promise<WebhookSender> {
  const { clock, machine, random } = provider;
  const counts = newCounts();
  let chaos = first;
  const sender = await runSender({
    outbox: openLocalOutbox(provider),
    clock,
    machine,
    random,
    log,
    counts,
    chaos: () => chaos,
    gatherMs: 0,
  });
  const forget = provider.onCommit((touched) => {
    if (touched.has('webhooks')) sender.wake();
    if (touched.has('webhooks aside')) sender.lookAround();
  });
  return {
    counts,
    chaos: () => chaos,
    setChaos(next) {
      chaos = next;
    },
    wake: () => {
      sender.lookAround();
    },
    stop() {
      forget();
      return sender.stop();
    },
  };
}
