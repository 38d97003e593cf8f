/** The watchdog of a process whose handler blocks: it records the stall past the process, which then ends. */
import { recordStall } from '../../../src/serving/watchdog/record-stall.ts';
import { policyOf } from '../checker/known-delivery.ts';
import { violated } from '../checker/violation.ts';
import type { World } from '../world/world.ts';
import { awaited, beside } from './operators.ts';

const TIMEOUT_MS = 30_000;
/** The second process that an attempt blocks alone is the last one. */
const MAX_STALLS = 2;

interface StalledRow {
  readonly lane: number;
  readonly replay: number;
  readonly status: string;
  /** How often it was a dead letter. */
  readonly dead: number;
}

export async function watchdog(world: World): Promise<void> {
  const { stalled: call, stalls } = world;
  world.stalled = null;
  if (call === null) return;
  const { delivery: id, handler, event, attempt } = call;
  const read = (): StalledRow | undefined =>
    world.rows.select?.<StalledRow>(`select lane, replay_id as replay, status,
      (select count(*) from attempts where delivery_id = deliveries.id and outcome = 'dead') as dead
      from deliveries where id = ${id.slice(1)}`)[0];
  const before = read();
  if (before?.status !== 'running') return;
  await world.time.sleep(TIMEOUT_MS);
  const replay = before.replay === 0 ? null : `j${String(before.replay)}`;
  const key = { ...{ id, handler, replay }, lane: String(before.lane), holder: 0, start: 0 };
  const running = [{ key, event: String(event), attempt, hold: policyOf(handler).hold }];
  const stall = { now: world.time.now(), timeoutMs: TIMEOUT_MS, where: null };
  const recording = beside(world, (store) => recordStall(store, running, stall));
  await awaited(world, 'stall', recording);
  const known = stalls.get(id);
  // A dead letter that is retried begins again.
  const times = known?.dead === before.dead ? known.times + 1 : 1;
  stalls.set(id, { times, dead: before.dead });
  const status = read()?.status ?? 'gone';
  if (status !== (times < MAX_STALLS ? 'pending' : 'dead'))
    throw violated('stalls', `${id} has blocked ${times} processes, and is ${status}`);
  if (status === 'dead') world.deliveries.becameDead(id);
}
