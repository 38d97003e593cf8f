import type { MachineCommit } from '../../lane-queue.ts';
import type { Transaction } from '../commit/write.ts';

/**
 * Stores a machine's new state, its anomalies, its base and its effects. The caller has locked the subject's lanes.
 *
 * @param context.replayed the event and replay of the delivery that ends; its effects belong to that replay
 * @throws PortariaError `machine-conflict` when the revision has changed: nothing is stored
 */
export async function commitMachine(
  _transaction: Transaction,
  _subjectId: number,
  _commit: MachineCommit,
  _context: {
    readonly now: number;
    readonly replayed?: { readonly eventId: number; readonly replayId: number };
  },
): Promise<void> {
  throw new Error('not written yet');
}
