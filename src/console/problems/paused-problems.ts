/** Pauses, and lanes behind failed deliveries. */
import type { Pause } from '../../store/pauses.ts';
import type { FailureGroup } from '../../store/plans.ts';
import { pauseView } from '../../view/pause-view.ts';
import { MAX_NAMED } from '../components/groups.tsx';
import { pauseAddress, pauseSentence, triedOf } from '../components/pauses.tsx';
import type { Page } from '../page.ts';
import { planAddress } from '../plan-address.ts';
import { cut, problem, type Problem, type Looked } from './problem.ts';

/** Pauses of lanes that are named one by one. */
const MAX_LANES = 3;
/** Events that are counted for a lane. */
const MAX_COUNTED = 10_000;

/** A sentence for each pause and each lane behind a failed delivery, but one for many lanes of a handler. */
export async function pausedProblems(
  { page, store, pauses, paused }: Looked,
  groups: readonly FailureGroup[],
): Promise<readonly Problem[]> {
  const { words } = page;
  // A handler that is paused as a whole says it for its lanes.
  const shown = pauses.filter(
    ({ subject, handler }) => subject === null || paused.ofHandler(handler ?? '') === undefined,
  );
  const lanes = Map.groupBy(shown, ({ subject, handler, deadLetter }) =>
    subject === null ? '' : `${handler ?? ''} ${deadLetter === null ? '' : 'behind'}`,
  );
  const many = [...lanes].filter(([of, { length }]) => of !== '' && length > MAX_LANES).map(([, all]) => all);
  const named = shown.filter((pause) => !many.some((all) => all.includes(pause)));
  return [
    ...(await Promise.all(
      named.map(async (pause) => {
        const view = pauseView(pause);
        const waiting = await store.pausedDeliveries(pause, MAX_COUNTED);
        const sentence = pauseSentence(page, { ...view, reason: cut(view.reason) }, waiting.deliveries);
        const count = page.format.number(waiting.deliveries, waiting.more);
        return {
          ...problem('warn', sentence, pauseAddress(view)),
          ...(pause.deadLetter === null &&
            waiting.deliveries > 0 && {
              note: words.pauses.waitingOf(count, words.pauses.triedOf(triedOf(pause, groups))),
              action: words.pauses.resumePlan,
            }),
          ...retryFirst(page, [pause]),
        };
      }),
    )),
    ...many.map((all) => {
      const say = words.pauses[all[0]?.deadLetter == null ? 'lanes' : 'behindMany'];
      const sentence = say(all.length, all[0]?.handler ?? '');
      return { ...problem('warn', sentence, '/handlers#pauses'), ...retryFirst(page, all) };
    }),
  ];
}

/** Lanes behind failed deliveries lose nothing by a retry; whoever goes on without it skips a step. */
function retryFirst({ words }: Page, lanes: readonly Pause[]): Partial<Problem> {
  const ids = lanes.flatMap(({ deadLetter }) => deadLetter ?? []).slice(0, MAX_NAMED);
  if (ids.length === 0) return {};
  const before = { href: planAddress('retry', { ids }), action: words.groups.retry };
  return { before, action: words.pauses.passPlan };
}
