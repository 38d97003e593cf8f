/** Operators who release held bodies: those that fit the contract by now become events, as if they arrived. */
import { releaseQuarantine } from '../../../src/operate/change/release-quarantine.ts';
import type { Acceptance, AcceptOptions } from '../../../src/store/inbox.ts';
import type { Store } from '../../../src/store/store.ts';
import type { ReleaseView } from '../../../src/view/operation-views.ts';
import type { Sent } from '../checker/identity.ts';
import { takeArrivals } from '../checker/look.ts';
import { violated } from '../checker/violation.ts';
import type { Receiver } from '../world/receiver.ts';
import type { World } from '../world/world.ts';
import { maybeBeside } from './operators.ts';

interface HeldRow {
  readonly id: number;
  readonly source: string;
  readonly body: string;
  readonly message: string | null;
  readonly receivedAt: number;
}

export async function release(world: World, receiver: Receiver, isBeside: boolean): Promise<void> {
  // What arrives meanwhile would be in no order with it.
  if (!(await world.time.run())) return;
  world.unanswered = [...heldOf(world)];
  if (world.unanswered.length === 0) return;
  const work = (store: Store): Promise<readonly ReleaseView[]> =>
    releaseQuarantine(
      { ...receiver, store: heard(world, store) },
      { filter: { reason: 'invalid' }, dryRun: false },
    );
  const released = await maybeBeside(world, receiver, { what: 'release', beside: isBeside }, work);
  if (world.time.isFrozen) return;
  for (const { id, outcome } of released ?? []) {
    const sent = world.unanswered.find(({ entry }) => entry === id);
    // What has become an event was heard before.
    const isHeld = outcome === 'held' && sent !== undefined;
    if (isHeld && !['rejected', 'conflict'].includes(world.identity.predict(sent).is))
      throw violated('quarantine', `${id} is held, and fits`, sent);
  }
  // An answer may have been lost.
  takeArrivals(world);
  receiver.portaria.dispatcher.wake();
}

/** A store that tells what becomes of entries, before their deliveries run. */
function heard(world: World, store: Store): Store {
  return {
    ...store,
    async accept(event, routes, options) {
      const accepted = await store.accept(event, routes, options);
      if (!world.time.isFrozen)
        world.tryCheck(() => {
          became(world, options?.releases ?? '', accepted, options?.overtaken ?? []);
        });
      return accepted;
    },
  };
}

/** The held bodies that match no schema, as they arrived, in their order. */
function heldOf({ rows, identity }: World): readonly Sent[] {
  const found = rows.select?.<HeldRow>(`select id, source, cast(body as text) as body, message_id as message,
    received_at as "receivedAt" from quarantine where status = 'held' and reason = 'invalid' order by id`);
  return (found ?? []).flatMap(({ id, source, body, message, receivedAt: at }) => {
    const known = identity.quarantined.get(`${source} ${body}`);
    if (known === undefined) return [];
    return [{ ...known.sent, entry: `q${String(id)}`, at, message: source === 'signed' ? message : null }];
  });
}

function became(
  world: World,
  entry: string,
  { status, id }: Acceptance,
  overtaken: NonNullable<AcceptOptions['overtaken']>,
): void {
  world.note(`${entry} is ${status}: ${id}`);
  const { identity, deliveries } = world;
  const sent = world.unanswered.find((one) => one.entry === entry);
  if (sent === undefined) throw violated('quarantine', `${entry} is ${status}, and was not held`);
  const expected = identity.predict(sent);
  if (expected.is !== status)
    throw violated('quarantine', `${entry} is ${status}, expected ${expected.is}`, sent);
  if (status === 'conflict') return;
  world.unanswered = world.unanswered.filter((other) => other !== sent);
  world.reach(`release: ${status}`);
  identity.quarantined.delete(`${sent.sending.source} ${sent.body}`);
  const known = identity.apply(sent, expected, true);
  if (known === null || world.numberOf(id) !== known.number)
    throw violated('quarantine', `${entry} became ${id}, expected ${known?.number ?? 0}`);
  if (status !== 'stored') return;
  world.storedEvent(known);
  for (const handler of world.handlers) {
    const delivery = deliveries.of(known, handler);
    const later = overtaken.find((one) => one.handler === handler);
    if (delivery === undefined || known.verdict === 'stale') continue;
    delivery.allowed = new Set([later === undefined ? 'pending' : 'skipped']);
    const by = later && identity.events[world.numberOf(later.by) - 1]?.sent;
    if (by !== undefined && (by.subject !== sent.subject || by.at < sent.at))
      throw violated('quarantine', `${entry} was overtaken by ${later?.by ?? ''} for ${handler}`, sent);
  }
}
