/** Finds an entry of the quarantine, or says why it is gone. */
import { PortariaError } from '../../kernel/errors.ts';
import type { Queries, QuarantinedDelivery } from '../../store/queries.ts';

/**
 * Reads a quarantine entry with its body.
 *
 * @throws PortariaError `not-found`; the message says whether it was dropped
 */
export async function quarantineEntry(
  store: Pick<Queries, 'quarantinedDelivery' | 'droppedFromQuarantine'>,
  id: string,
): Promise<QuarantinedDelivery> {
  const entry = await store.quarantinedDelivery(id);
  if (entry !== null) return entry;
  const [dropped] = await store.droppedFromQuarantine([id]);
  throw new PortariaError(
    'not-found',
    dropped === undefined
      ? `There is no quarantine entry ${id}`
      : `Quarantine entry ${id} is gone: dropped by the quota (PORTARIA_MAX_QUARANTINE_BYTES), pruned by retention (PORTARIA_KEEP_QUARANTINE), or discarded by an operator (portaria audit list --action discardQuarantine)`,
  );
}
