/** Deletes old webhooks. */
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Logger } from '../../../src/kernel/logger.ts';
import type { Provider } from '../../provider.ts';

/** The background job that deletes old webhooks. */
export interface Pruning {
  stop(): Promise<void>;
}

/** Events pruned in one transaction, which takes a millisecond or two. */
const BATCH = 100;
/** Milliseconds of the provider's time between two runs. */
const PAUSE_MS = 60_000;

/**
 * Deletes webhooks that were delivered more than `keepMs` ago, now and once a minute.
 * Pending, dead and lost webhooks stay.
 */
export function startPruning(
  provider: Provider,
  { keepMs, log }: { readonly keepMs: number; readonly log: Logger },
): Pruning {
  const { clock } = provider;
  const stopping = new AbortController();
  let cancelNext = () => {};
  let pruning = prune();

  async function prune(): Promise<void> {
    try {
      await pruneWebhooks(provider, new Date(clock.now() - keepMs).toISOString(), stopping.signal);
    } catch (error) {
      log.error({ err: error }, 'Old webhooks cannot be deleted; retrying');
    }
    if (stopping.signal.aborted) return;
    cancelNext = clock.after(PAUSE_MS, () => {
      pruning = prune();
    });
  }

  return {
    async stop() {
      stopping.abort();
      cancelNext();
      await pruning;
    },
  };
}

/**
 * Deletes webhooks that were recorded and delivered before a time, ISO 8601. Works in
 * batches, so that requests do not wait long for the connection.
 */
async function pruneWebhooks(
  { sqlite, query }: Pick<Provider, 'sqlite' | 'query'>,
  before: string,
  stop: AbortSignal,
): Promise<void> {
  const next = sqlite.prepare<[number], { readonly id: number; readonly at: string }>(
    `select id, created_at as at from webhook_events where id > ? order by id limit ${String(BATCH)}`,
  );
  const deliveries = sqlite.prepare<[number, number, string]>(
    `delete from webhook_deliveries
     where event_id between ? and ? and status = 'delivered' and due_at < ?`,
  );
  const events = sqlite.prepare<[number, number]>(
    `delete from webhook_events where id between ? and ?
     and not exists (select 1 from webhook_deliveries where event_id = webhook_events.id)`,
  );
  /** @returns the id of the last event it looked at; null when no older event is left. */
  const batch = sqlite.transaction((after: number): number | null => {
    const old = next.all(after).filter(({ at }) => at < before);
    const [first, last] = [old[0], old.at(-1)];
    if (first === undefined || last === undefined) return null;
    deliveries.run(first.id, last.id, before);
    events.run(first.id, last.id);
    return last.id;
  });
  for (let after: number | null = 0; after !== null && !stop.aborted;) {
    const from: number = after;
    // Transactions share the connection.
    after = await query.connection().execute(async () => batch.immediate(from));
    await nextTick();
  }
}
