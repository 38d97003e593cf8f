/** Compares the store with what is known: after some steps, after a death, and at the end. */
import { MACHINE } from '../actors/names.ts';
import type { Receiver } from '../world/receiver.ts';
import { KEEP_MS } from '../world/settings.ts';
import type { World } from '../world/world.ts';
import { lookAtAttempts } from './attempts.ts';
import { lookAtContents } from './contents.ts';
import { lookAtJobs } from './jobs.ts';
import { lookAtLanes } from './lanes.ts';
import { lookAtBases, lookAtStates } from './states.ts';
import { lookAtTotals } from './totals.ts';
import type { KnownEvent } from './identity.ts';
import { nameOf } from './known-delivery.ts';
import { takeResolutions } from './resolutions.ts';
import type { Some } from './rows.ts';
import { violated } from './violation.ts';
import { lookAtWaits } from './waits.ts';

/** Everything is looked at when there is a quarter more than at the last time, and at least so many. */
const GROWTH = 1.25;
const LEAST_GROWTH = 100;

/**
 * After a rest: everybody has an answer, and every row is what it should be. What can change no more, and of which
 * nothing was heard, is looked at less often.
 */
export async function look(world: World, isAll = false): Promise<void> {
  const { receiver, deliveries, seen } = world;
  if (receiver === null || !(await world.time.run())) return;
  const [waiting] = world.unanswered;
  if (waiting !== undefined) throw violated('answered', 'a sender has no response', waiting);
  const all = isAll || deliveries.known.length >= Math.max(seen.atAll * GROWTH, seen.atAll + LEAST_GROWTH);
  takeResolutions(world);
  lookAtEvents(world, all);
  lookAtDeliveries(world, all);
  lookAtStates(world, all, pruned);
  world.breakers.look();
  lookAtLanes(world, all);
  if (!all) return;
  seen.atAll = deliveries.known.length;
  lookAtQuarantine(world);
  lookAtAttempts(world);
  lookAtTotals(world);
  lookAtContents(world);
  lookAtJobs(world);
  lookAtBases(world, pruned);
  if (world.disk.isFaulty) return;
  await lookAtStatistics(world, receiver);
  await lookAtWaits(world, receiver);
}

async function lookAtStatistics(world: World, receiver: Receiver): Promise<void> {
  const { identity } = world;
  const read = await world.time.until(receiver.store.statistics());
  if (read === null || 'error' in read) return;
  const { events, repeats, byVerdict, deliveries, byHandler, quarantined, subjects } = read.value;
  const rows = world.rows.deliveries();
  const eventRows = world.rows.events();
  const count = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length;
  const statuses = ['pending', 'running', 'succeeded', 'dead', 'skipped'] as const;
  const told = [
    [events, identity.events.length, 'events'],
    [subjects, identity.subjects.size, 'subjects'],
    [repeats, eventRows.reduce((sum, row) => sum + row.repeats, 0), 'repeats'],
    [quarantined, count(world.rows.quarantined(), ({ status }) => status === 'held'), 'held entries'],
    ...(['new', 'stale', 'ambiguous'] as const).map(
      (verdict) => [byVerdict[verdict], count(eventRows, (row) => row.verdict === verdict), verdict] as const,
    ),
    ...statuses.map(
      (status) => [deliveries[status], count(rows, (row) => row.status === status), status] as const,
    ),
    ...byHandler.flatMap((of) =>
      statuses.map(
        (status) =>
          [
            of[status],
            count(rows, (row) => row.status === status && row.handler === of.handler),
            `${status} of ${of.handler}`,
          ] as const,
      ),
    ),
  ] as const;
  world.folds = count(rows, (row) => row.handler === MACHINE && row.status === 'succeeded');
  const listed = await world.time.until(receiver.store.subjects({}, { limit: 1_000 }));
  for (const { source, subject, id, events: of } of listed !== null && 'value' in listed
    ? listed.value
    : []) {
    const name = `${source} ${subject.family}:${subject.id}`;
    const known = identity.subjects.get(name) ?? [];
    const latest = identity.latestOf(name)?.number;
    if (of !== known.length || world.numberOf(id) !== latest)
      throw violated(
        'counts',
        `${name} has ${of} events, the latest ${id}; expected ${known.length}, ${latest ?? 0}`,
      );
  }
  for (const [said, is, what] of told)
    if (said !== is) throw violated('counts', `the statistics say ${said} ${what}, there are ${is}`);
}

/** After a death, on the file that it left: what was acknowledged is there, and the rest was or was not stored. */
export function takeStock(world: World): void {
  takeArrivals(world);
  world.deliveries.died();
  lookAtEvents(world);
  lookAtDeliveries(world);
  lookAtQuarantine(world);
}

/** What has no response was or was not stored. */
export function takeArrivals(world: World): void {
  const { identity } = world;
  takeResolutions(world);
  const found = world.rows.events({ ids: [], after: identity.events.length });
  let next = 0;
  for (const sent of world.unanswered) {
    const predicted = identity.predict(sent);
    // What it returns to may have been superseded since.
    const row = found[next];
    const isReturn = row?.body === sent.body && row.verdict === 'ambiguous';
    const expected =
      predicted.is === 'duplicate' && isReturn
        ? ({ is: 'stored', verdict: 'ambiguous' } as const)
        : predicted;
    if (expected.is !== 'stored') {
      identity.apply(sent, expected, false);
      continue;
    }
    if (found[next]?.body !== sent.body) continue;
    next += 1;
    const event = identity.apply(sent, expected, true);
    if (event !== null) world.storedEvent(event);
  }
  world.unanswered = [];
  if (next < found.length) throw violated('acknowledged', 'an event is stored that nobody sent', found[next]);
}

export function lookAtEvents(world: World, isAll = false): void {
  const { identity, rows, time, held, seen } = world;
  const count = rows.countEvents();
  if (count.stored !== identity.events.length)
    throw violated(
      'acknowledged',
      `${count.stored} events are stored, ${identity.events.length} were acknowledged`,
    );
  const { events } = identity.changed;
  const ids = [...events].map(({ number }) => number);
  const some = isAll || count.pruned !== seen.pruned ? undefined : { ids, after: identity.events.length };
  events.clear();
  seen.pruned = count.pruned;
  for (const row of rows.events(some)) {
    const event = identity.events[row.id - 1];
    if (event === undefined) throw violated('verdict', `an event is stored as ${row.id}`);
    const { sent, verdict, repeats } = event;
    if (row.verdict !== verdict)
      throw violated('verdict', `event ${event.number} is stored as ${row.id}, ${row.verdict}`, sent);
    if (row.repeats < repeats.least || row.repeats > repeats.most)
      throw violated(
        'counts',
        `event ${event.number} has ${row.repeats} repeats, expected ${repeats.least}`,
        sent,
      );
    const isErased = row.flags.includes('erased');
    if (row.pruned === null && row.body !== sent.body && !isErased)
      throw violated('acknowledged', `event ${event.number} has another body`, row);
    if (row.pruned === null) continue;
    if (time.highest - sent.at < KEEP_MS)
      throw violated('retention', `event ${event.number} was pruned too early`, row);
    if (held.has(nameOf(event)) && !pruned.has(event))
      throw violated('holds', `event ${event.number} was pruned`, row);
    if (!pruned.has(event)) world.reach('an event is pruned');
    if (!pruned.has(event)) pruned.set(event, seen.events);
  }
  seen.events = identity.events.length;
}

/** Pruned before, so perhaps before a hold, with how many events there were at the look before. */
const pruned = new WeakMap<KnownEvent, number>();

function lookAtDeliveries(world: World, isAll = false): void {
  const { identity, deliveries, rows, seen } = world;
  const found = new Set<string>();
  const [wrong] = rows.wrongHolds();
  if (wrong !== undefined)
    throw violated('held', `a lane waits behind ${wrong.delivery}, which is ${wrong.status}`);
  for (const row of rows.deliveries(isAll ? undefined : unsettled(deliveries, seen.delivery))) {
    found.add(row.id);
    seen.delivery = Math.max(seen.delivery, Number(row.id.slice(1)));
    const event = identity.events[row.event - 1];
    if (event === undefined) throw violated('acknowledged', `${row.id} is of event ${row.event}`);
    const by = row.by === null ? undefined : identity.events[world.numberOf(row.by) - 1];
    if (by !== undefined) world.reach('superseded by a newer event');
    deliveries.see(row, event, by);
    if (pruned.has(event) && row.status !== 'succeeded' && row.status !== 'skipped')
      throw violated('retention', `event ${row.event} was pruned, and ${row.id} is ${row.status}`);
  }
  for (const { id, handler, event } of isAll ? deliveries.known : deliveries.unsettled)
    if (id === null || !found.has(id))
      throw violated('acknowledged', `event ${event.number} has no delivery to ${handler}`);
}

function unsettled({ unsettled: those }: World['deliveries'], after: number): Some {
  const numbers = [...those].map(({ id }) => Number(id?.slice(1) ?? Infinity));
  return { ids: numbers.filter((number) => number <= after), after };
}

function lookAtQuarantine({ identity, rows, time, erasures }: World): void {
  const kept = new Set(rows.quarantined().map((row) => `${row.source} ${row.body}`));
  for (const [key, sent] of identity.conflicts) {
    if ([...erasures].some((email) => sent.body.includes(email)) || time.highest - sent.at >= KEEP_MS)
      identity.conflicts.delete(key);
    else if (!kept.has(key)) throw violated('quarantine', 'a message with a used id is not kept', sent);
  }
  const found = new Map(
    rows
      .quarantined()
      .filter(({ reason, status }) => reason !== 'conflict' && status === 'held')
      .map((row) => [`${row.source} ${row.body}`, row]),
  );
  for (const [key, { sent, repeats, cameAt }] of identity.quarantined) {
    if ([...erasures].some((email) => sent.body.includes(email))) continue;
    const row = found.get(key);
    // An old one may be gone, and have come again.
    const isOld = time.highest - cameAt >= KEEP_MS;
    if (isOld) Object.assign(repeats, { least: -1, most: Infinity });
    else if (row === undefined && repeats.least < 0) identity.quarantined.delete(key);
    else if (row === undefined) throw violated('quarantine', 'a body is not kept', sent);
    else if (row.repeats < repeats.least || row.repeats > repeats.most)
      throw violated('counts', `an entry has ${row.repeats} repeats, expected ${repeats.least}`, sent);
  }
}
