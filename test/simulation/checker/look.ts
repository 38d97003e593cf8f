/** Compares the store with what is known: after some steps, after a death, and at the end. */
import { emptyLedger, foldedContent, ledgerAfter } from '../actors/handlers.ts';
import { EFFECTS, MACHINE } from '../actors/names.ts';
import { KEEP_MS } from '../world/receiver.ts';
import type { World } from '../world/world.ts';
import type { KnownEvent } from './identity.ts';
import { nameOf } from './deliveries.ts';
import { violated } from './violation.ts';

/** After a rest: everybody has an answer, and every row is what it should be. */
export async function look(world: World): Promise<void> {
  const { receiver, identity } = world;
  if (receiver === null || !(await world.time.run())) return;
  const [waiting] = world.unanswered;
  if (waiting !== undefined) throw violated('answered', 'a sender has no response', waiting);
  lookAtEvents(world);
  lookAtDeliveries(world);
  lookAtQuarantine(world);
  lookAtStates(world);
  if (world.disk.isFaulty) return;
  const read = await world.time.until(receiver.store.statistics());
  if (read === null || 'error' in read) return;
  const { events, repeats, byVerdict, deliveries, byHandler, quarantined, subjects } = read.value;
  const rows = world.rows.deliveries();
  const eventRows = world.rows.events();
  const count = <T>(all: readonly T[], is: (one: T) => boolean): number => all.filter(is).length;
  const statuses = ['pending', 'running', 'succeeded', 'dead', 'skipped'] as const;
  const told = [
    [events, identity.events.length, 'events'],
    [subjects, new Set(identity.events.map(({ sent }) => sent.subject)).size, 'subjects'],
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
    const known = identity.events.filter(({ sent }) => sent.subject === name);
    const latest = identity.latestOf(name)?.number;
    if (of !== known.length || !id.endsWith(`-${String(latest)}`))
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
  const { identity, deliveries } = world;
  const found = world.rows.events(identity.events.length);
  let next = 0;
  for (const sent of world.unanswered) {
    const expected = identity.predict(sent);
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
  deliveries.died();
  lookAtEvents(world);
  lookAtDeliveries(world);
  lookAtQuarantine(world);
}

export function lookAtEvents(world: World): void {
  const { identity, rows, time, held } = world;
  const found = rows.events();
  if (found.length !== identity.events.length)
    throw violated(
      'acknowledged',
      `${found.length} events are stored, ${identity.events.length} were acknowledged`,
    );
  for (const [at, row] of found.entries()) {
    const event = identity.events[at];
    if (event === undefined) continue;
    const { sent, verdict, repeats } = event;
    if (row.id !== event.number || row.verdict !== verdict)
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
    pruned.add(event);
  }
}

/** Pruned before, so perhaps before a hold. */
const pruned = new WeakSet<KnownEvent>();

function lookAtDeliveries({ identity, deliveries, rows }: World): void {
  const found = new Set<string>();
  const [wrong] = rows.wrongHolds();
  if (wrong !== undefined)
    throw violated('held', `a lane waits behind ${wrong.delivery}, which is ${wrong.status}`);
  for (const row of rows.deliveries()) {
    found.add(row.id);
    const event = identity.events[row.event - 1];
    if (event === undefined) throw violated('acknowledged', `${row.id} is of event ${row.event}`);
    deliveries.see(row, event);
    if (pruned.has(event) && row.status !== 'succeeded' && row.status !== 'skipped')
      throw violated('retention', `event ${row.event} was pruned, and ${row.id} is ${row.status}`);
  }
  for (const { id, handler, event } of deliveries.known)
    if (id === null || !found.has(id))
      throw violated('acknowledged', `event ${event.number} has no delivery to ${handler}`);
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
      .filter(({ reason }) => reason !== 'conflict')
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

function lookAtStates({ identity, deliveries, rows }: World): void {
  const states = new Map(rows.states().map((row) => [`${row.source} ${row.subject}`, row.state]));
  for (const subject of new Set(identity.events.map(({ sent }) => sent.subject))) {
    const history = identity.history(subject);
    const isFolded = history.every((event) => {
      const fold = deliveries.of(event, MACHINE);
      return fold !== undefined && [...fold.allowed].join('') === 'succeeded' && !pruned.has(event);
    });
    if (!isFolded) continue;
    let state = emptyLedger;
    const overdue: KnownEvent[] = [];
    for (const event of history) {
      const { content, status } = foldedContent((JSON.parse(event.sent.body) as { data: object }).data);
      const before = state;
      state = ledgerAfter(before, content, status);
      if (before.status !== 'overdue' && state.status === 'overdue') overdue.push(event);
    }
    const stored = states.get(subject);
    const kept = stored === undefined ? null : (JSON.parse(stored) as typeof state);
    if (kept?.chain !== state.chain || kept.events !== state.events || kept.status !== state.status)
      throw violated(
        'fold',
        `the state of ${subject} is ${stored ?? 'missing'}, expected ${JSON.stringify(state)}`,
      );
    for (const event of overdue)
      if (deliveries.of(event, EFFECTS) === undefined)
        throw violated('fold', `the effect of event ${event.number} is missing`);
  }
}
