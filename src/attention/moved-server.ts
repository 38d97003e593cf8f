/** Finds a store that is on another server than the one on which it was last known. */
import { SERVER_MOVE_REMEDY, serverMoveText, type ServerMove } from '../store/monitoring.ts';
import type { OperatorProblem } from './problem.ts';

/**
 * Finds a restore or a failover: the store may lack acknowledged events, and give out their ids again.
 *
 * @param move null while the server is the known one, or does not tell
 */
export function findMovedServer(move: ServerMove | null): readonly OperatorProblem[] {
  if (move === null) return [];
  return [
    {
      problem: 'moved-server',
      of: null,
      since: null,
      summary: serverMoveText(move),
      remedy: SERVER_MOVE_REMEDY,
      facts: { about: 'moved-server', move },
    },
  ];
}
