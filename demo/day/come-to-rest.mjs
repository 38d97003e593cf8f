import { eventually } from '../world/eventually.mjs';

/**
 * Milliseconds of the fleet's time: what chaos holds back comes sooner by it, and yet no night begins, of which
 * nothing would be told any more.
 */
const STEP_MS = 1_000;
/** Milliseconds in which there must be some progress, on a machine that has other things to do. */
const LIMIT_MS = 60_000;

/**
 * Nothing more happens by itself; resolves when all that was told has arrived
 * and was handled.
 *
 * @param {import('../world/start-world.mjs').World} world
 * @param {import('./fleet-clock.mjs').FleetClock} clock
 * @param {{ readonly left: () => { readonly waiting: number } }} outbox
 * @param {(left: string) => void} tell
 * @throws when nothing arrives or is handled any more, though something is left
 */
export async function comeToRest({ place, receiver }, clock, outbox, tell) {
  await clock.stopLife();
  let left = Infinity;
  while (left > 0)
    left = await eventually('what was told arrives and is handled', LIMIT_MS, place.signal, async () => {
      const { waiting } = outbox.left();
      const { deliveries } = await receiver.read('/api/stats');
      const unhandled = deliveries.pending + deliveries.running;
      tell(`${waiting} webhooks to come, ${unhandled} deliveries to handle`);
      if (waiting > 0) await clock.advance(STEP_MS);
      // An object, because none left is an answer, too.
      return waiting + unhandled < left && { left: waiting + unhandled };
    }).then((progress) => progress.left);
}
