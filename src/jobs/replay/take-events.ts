/** Takes the next events of a replay, in arrival order. */
import type { ReplayDeliveries } from '../../store/replays.ts';
import type { Route } from '../../store/route.ts';

/** Numbers of events, in arrival order, that the same handlers get. */
export interface PlannedEvents {
  readonly events: readonly number[];
  readonly routes: readonly Route[];
}

export interface TakenEvents {
  readonly deliveries: readonly ReplayDeliveries[];
  /** How many deliveries. */
  readonly count: number;
  /** The number of the last event. */
  readonly last: number;
}

/** Takes the first events of a page whose deliveries fit into `room`, one event at least. */
export function takeEvents(page: readonly PlannedEvents[], room: number): TakenEvents {
  const bound = countUpTo(page, Infinity) <= room ? Infinity : lastFitting(page, room);
  const taken = page.map(({ events, routes }) => ({
    events: events.slice(0, countUpToBound(events, bound)),
    routes,
  }));
  return {
    deliveries: taken.flatMap(({ events, routes }) =>
      events.length === 0 ? [] : routes.map((route) => ({ route, events })),
    ),
    count: countUpTo(taken, Infinity),
    last: lastEvent(taken),
  };
}

function firstEvent(page: readonly PlannedEvents[]): number {
  return Math.min(...page.map(({ events }) => events[0] ?? Infinity));
}

/** The number of the last event of a page. */
function lastEvent(page: readonly PlannedEvents[]): number {
  return Math.max(...page.map(({ events }) => events.at(-1) ?? 0));
}

/** The last event whose deliveries, with all earlier ones, fit into `room`. Binary search by number. */
function lastFitting(page: readonly PlannedEvents[], room: number): number {
  let fitting = 0;
  let exceeding = lastEvent(page);
  while (exceeding - fitting > 1) {
    const middle = Math.floor((fitting + exceeding) / 2);
    if (countUpTo(page, middle) <= room) fitting = middle;
    else exceeding = middle;
  }
  return fitting < firstEvent(page) ? exceeding : fitting;
}

function countUpTo(page: readonly PlannedEvents[], bound: number): number {
  return page.reduce((sum, { events, routes }) => sum + countUpToBound(events, bound) * routes.length, 0);
}

/** How many of the sorted events are at or below the bound. */
function countUpToBound(events: readonly number[], bound: number): number {
  let [low, high] = [0, events.length];
  if ((events.at(-1) ?? 0) <= bound) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
