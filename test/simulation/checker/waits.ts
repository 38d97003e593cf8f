/** Why a delivery waits, as the command line and the API say it, is why it waits. */
import { deliveryView } from '../../../src/view/delivery-view.ts';
import type { Receiver } from '../world/receiver.ts';
import type { World } from '../world/world.ts';
import { isLimited } from '../actors/names.ts';
import { violated } from './violation.ts';

const MOST = 1_000;

export async function lookAtWaits(world: World, { store }: Receiver): Promise<void> {
  const { deliveries } = world;
  const read = await world.time.until(
    store.deliveries({ status: 'pending' }, { order: 'oldest', limit: MOST }),
  );
  for (const record of read !== null && 'value' in read ? read.value : []) {
    const known = deliveries.byId(record.id);
    if (known === undefined) continue;
    const { waits_for: said } = deliveryView(record, { unmask: false });
    const { pausedBy: pause } = record;
    if (pause === null && record.rateUntil !== null) {
      world.reach('waits for its rate');
      if (!isLimited(record.handler, world.seed) || said?.startsWith('its rate until ') !== true)
        throw violated('waits', `${record.id} to ${record.handler} waits for ${said ?? 'nothing'}`);
      continue;
    }
    if (pause === null) {
      if (said !== null) throw violated('waits', `${record.id} waits for ${said}, and for nothing`);
      world.tryCheck(() => {
        deliveries.requireFree(known, `${record.id} waits for nothing, it is said, or`);
      });
      continue;
    }
    world.reach(pause.deadLetter === null ? 'waits for a pause' : 'waits behind a dead letter');
    if (said === null) throw violated('waits', `${record.id} is said to wait for nothing`, pause);
    if (pause.deadLetter === null) continue;
    const dead = deliveries.byId(pause.deadLetter);
    if (dead?.lane !== known.lane || !said.includes(pause.deadLetter))
      throw violated('waits', `${record.id} is said to wait for ${said}, which is not in its lane`, pause);
    if (!dead.allowed.has('dead'))
      throw violated('waits', `${record.id} is said to wait for ${said}, which is no dead letter`, pause);
  }
}
