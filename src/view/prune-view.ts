/** Results of pruning, as views show them. */
import { z } from 'zod';

const count = z.int().min(0);

export const pruneSchema = z
  .object({
    dry_run: z.boolean().describe('Whether nothing was changed.'),
    ended: z.enum(['done', 'interrupted']).describe('Whether all of it was looked at.'),
    events: count.describe('Events without body and headers from now on.'),
    bytes: count.describe('Bytes of these bodies and headers.'),
    quarantine: count.describe('Quarantine entries that were removed.'),
    deliveries: count.describe('Finished deliveries without error and change from now on.'),
    discarded: count.describe('Dead letters among them, which are skipped from now on; 0 in a dry run.'),
    waiting: count.describe(
      'Old events that stay, because they or their machines wait, or for a dead letter.',
    ),
    held_rows: count.describe('Old rows that stay, because their subject is under a legal hold.'),
    given_back: count.describe('Bytes that the file was shortened by.'),
  })
  .meta({ id: 'Prune', description: 'What was pruned.' });

export type PruneView = z.infer<typeof pruneSchema>;

/** The counts of a run, as the command line shows them. */
export function pruneView(
  counts: {
    readonly events: number;
    readonly bytes: number;
    readonly quarantine: number;
    readonly deliveries: number;
    readonly discarded: number;
    readonly waiting: number;
    readonly held: number;
    readonly givenBack: number;
  },
  { dryRun, ended }: { readonly dryRun: boolean; readonly ended: PruneView['ended'] },
): PruneView {
  const { events, bytes, quarantine, deliveries, discarded, waiting, held, givenBack } = counts;
  return {
    dry_run: dryRun,
    ended,
    events,
    bytes,
    quarantine,
    deliveries,
    discarded,
    waiting,
    held_rows: held,
    given_back: givenBack,
  };
}
