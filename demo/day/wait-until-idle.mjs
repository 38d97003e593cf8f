import { eventually } from '../environment/eventually.mjs';

/** Milliseconds of the fleet's time: enough for delayed webhooks to become due, too little to reach midnight. */
const STEP_MS = 1_000;
/** Milliseconds within which there must be progress, on a busy machine. */
const LIMIT_MS = 60_000;

/**
 * Pauses the scenario, and waits until every webhook has arrived and was handled.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @param {import('./fleet-clock.mjs').FleetClock} clock
 * @param {{ readonly left: () => { readonly waiting: number } }} outbox
 * @param {(left: string) => void} report
 * @throws {Error} if there is no progress although something is left
 */
export async function waitUntilIdle({ workspace, receiver }, clock, outbox, report) {
  await clock.pauseScenario();
  let left = Infinity;
  while (left > 0)
    left = await eventually('the webhooks arrive and are handled', LIMIT_MS, workspace.signal, async () => {
      const { waiting } = outbox.left();
      const { deliveries } = await receiver.read('/api/stats');
      const unhandled = deliveries.pending + deliveries.running;
      report(`${waiting} webhooks and ${unhandled} deliveries left`);
      if (waiting > 0) await clock.advance(STEP_MS);
      // An object, because 0 would count as no result.
      return waiting + unhandled < left && { left: waiting + unhandled };
    }).then((progress) => progress.left);
}
