import type { DispatchParts } from './dispatch-parts.ts';

/**
 * Why a delivery of this handler does not begin now; `undefined` when it may.
 *
 * @param probe whether it finds out if a paused handler is well again
 */
export function refusal(
  handler: string,
  probe: boolean,
  { board, closing }: Pick<DispatchParts, 'board' | 'closing'>,
): string | undefined {
  if (closing.aborted) return 'stopping';
  return probe || board.admits(handler) ? undefined : 'the handler is paused';
}
