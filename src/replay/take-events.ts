import type { ReplayDeliveries } from '../store/replays.ts';
import type { Route } from '../store/route.ts';

/** Events that the same handlers get: their numbers, in arrival order. */
export interface PlannedEvents {
  readonly events: readonly number[];
  readonly routes: readonly Route[];
}

export interface TakenEvents {
  readonly deliveries: readonly ReplayDeliveries[];
  /** How many deliveries these are. */
  readonly count: number;
  /** The number of the last event. */
  readonly last: number;
  /** What is left of the page. */
  readonly rest: readonly PlannedEvents[];
}

/** The first events of a page, in arrival order, whose deliveries fit the room; one event at least. */
export function takeEvents(page: readonly PlannedEvents[], room: number): TakenEvents {
  const bound = countUpTo(page, Infinity) <= room ? Infinity : lastThatFits(page, room);
  const taken = page.map(({ events, routes }) => ({
    events: events.slice(0, placeOf(events, bound)),
    routes,
  }));
  return {
    deliveries: taken.flatMap(({ events, routes }) =>
      events.length === 0 ? [] : routes.map((route) => ({ route, events })),
    ),
    count: countUpTo(taken, Infinity),
    last: lastEvent(taken),
    rest: page.flatMap(({ events, routes }) => {
      const left = events.slice(placeOf(events, bound));
      return left.length === 0 ? [] : [{ events: left, routes }];
    }),
  };
}

/** How many deliveries the first event of a page has. */
export function firstCount(page: readonly PlannedEvents[]): number {
  const first = firstEvent(page);
  return page.find(({ events }) => events[0] === first)?.routes.length ?? 0;
}

function firstEvent(page: readonly PlannedEvents[]): number {
  return Math.min(...page.map(({ events }) => events[0] ?? Infinity));
}

/** The number of the last event of a page. */
export function lastEvent(page: readonly PlannedEvents[]): number {
  return Math.max(...page.map(({ events }) => events.at(-1) ?? 0));
}

/** Of a page that does not fit. Events are looked for by halves, so that none has to be taken in hand. */
function lastThatFits(page: readonly PlannedEvents[], room: number): number {
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
  return page.reduce((sum, { events, routes }) => sum + placeOf(events, bound) * routes.length, 0);
}

/** How many of the events are not above the bound. */
function placeOf(events: readonly number[], bound: number): number {
  let [low, high] = [0, events.length];
  if ((events.at(-1) ?? 0) <= bound) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle] ?? 0) <= bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
