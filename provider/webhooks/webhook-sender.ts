import type { Chaos } from './send-delivery.ts';
import type { SenderCounts } from './sender-counts.ts';

/** What sends webhooks, wherever it runs. */
export interface WebhookSender {
  /** Since it started. */
  readonly counts: Readonly<SenderCounts>;
  chaos(): Chaos;
  setChaos(chaos: Chaos): void;
  /** Looks for what is due at once, for example because time was moved. */
  wake(): void;
  /** What is on its way has 2 seconds to end; everything else stays in the outbox. */
  stop(): Promise<void>;
}
