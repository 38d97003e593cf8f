import { eventually } from '../world/eventually.mjs';

/** Milliseconds of the fleet's time: longer than chaos holds anything back. */
const STEP_MS = 15_000;
/** Milliseconds: with a few thousand webhooks waiting on a busy machine. */
const LIMIT_MS = 120_000;

/**
 * Nothing more happens by itself; resolves when all that was told has arrived
 * and was handled.
 *
 * @param {import('../world/start-world.mjs').World} world
 * @param {import('./fleet-clock.mjs').FleetClock} clock
 * @param {{ readonly left: () => { readonly waiting: number } }} outbox
 * @param {(left: string) => void} tell
 */
export async function comeToRest({ place, receiver }, clock, outbox, tell) {
  await clock.stopLife();
  await eventually('everything told has arrived and was handled', LIMIT_MS, place.signal, async () => {
    const { waiting } = outbox.left();
    const { deliveries } = await receiver.read('/api/stats');
    const unhandled = deliveries.pending + deliveries.running;
    tell(`${waiting} webhooks to come, ${unhandled} deliveries to handle`);
    if (waiting > 0) await clock.advance(STEP_MS);
    return waiting + unhandled === 0;
  });
}
