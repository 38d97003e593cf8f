import type { Logger } from '../../src/kernel/logger.ts';
import { ownExtension } from '../../src/kernel/files/own-files.ts';
import { systemClock } from '../../src/kernel/time/system-clock.ts';
import type { Provider } from '../provider.ts';
import { calm } from './chaos/chaos-rates.ts';
import { startLocalSender } from './local-sender.ts';
import type { Chaos } from './send-delivery.ts';
import { startThreadSender } from './thread/thread-sender.ts';
import type { WebhookSender } from './webhook-sender.ts';

export interface SenderOptions {
  readonly log: Logger;
  readonly chaos?: Chaos;
  /** Where webhooks are sent from: unless given, from a thread of their own where there can be one. */
  readonly from?: 'thread' | 'here';
}

/**
 * Sends what {@link recordChange} has recorded, endpoints in parallel. Whatever an
 * earlier process left is sent first.
 */
export async function startWebhookSender(
  provider: Provider,
  { log, chaos = { rates: calm, seed: 1 }, from }: SenderOptions,
): Promise<WebhookSender> {
  const isThread = from === undefined ? canBeThread(provider) : from === 'thread';
  return isThread ? startThreadSender(provider, { log, chaos }) : startLocalSender(provider, { log, chaos });
}

/** A thread cannot open what is in memory, nor see a clock moved by hand; and from source it is slow to load. */
function canBeThread({ sqlite, machine }: Provider): boolean {
  return !sqlite.memory && machine === systemClock && ownExtension === '.js';
}
