/** How the server of a store differs from the one on which the store was last known, and the words for it. */

/** The part that differs. A timeline has a number, which grows with each recovery and each failover. */
export type ServerMove =
  | { readonly differs: 'cluster' | 'database' | 'tables' }
  | { readonly differs: 'timeline'; readonly known: number; readonly here: number };

/** Says what has happened: a sentence without its full stop. */
export function serverMoveText(move: ServerMove): string {
  return `the database was restored, moved or has failed over since it was last known: ${differenceText(move)}`;
}

/** What to do about it, whatever differs. */
export const SERVER_MOVE_REMEDY =
  'if acknowledged events may be lost, stop every process and run `portaria store renew-id`, because their ids would be ' +
  'given to other events; if none can be, run `portaria store renew-id --keep-id`';

/** Says what differs, as a clause. */
export function differenceText(move: ServerMove): string {
  switch (move.differs) {
    case 'cluster':
      return 'it is in another cluster';
    case 'database':
      return 'it is another database of the cluster';
    case 'tables':
      return 'its tables were created anew';
    case 'timeline':
      return `it is on timeline ${String(move.here)} instead of ${String(move.known)}`;
  }
}
