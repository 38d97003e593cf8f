import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Route } from '../../store/route.ts';
import { takeEvents, type PlannedEvents } from './take-events.ts';

const routes = (count: number): readonly Route[] =>
  Array.from({ length: count }, (_, at) => ({ handler: `h${String(at)}`, order: 'subject', stale: false }));

test('takes events that fit in arrival order, across handlers', () => {
  const page = [
    { events: [1, 4, 5], routes: routes(1) },
    { events: [2, 3, 6], routes: routes(2) },
  ];

  expect(takeEvents(page, 5)).toEqual({
    deliveries: [
      { route: routes(1)[0], events: [1] },
      { route: routes(2)[0], events: [2, 3] },
      { route: routes(2)[1], events: [2, 3] },
    ],
    count: 5,
    last: 3,
  });
});

test('takes an event with more deliveries than room alone', () => {
  const page = [{ events: [7, 8], routes: routes(3) }];

  expect(takeEvents(page, 1)).toMatchObject({ count: 3, last: 7 });
});

test('events without deliveries take no room', () => {
  const page = [
    { events: [1, 3, 4], routes: [] },
    { events: [2, 5], routes: routes(1) },
  ];

  expect(takeEvents(page, 1)).toEqual({
    deliveries: [{ route: routes(1)[0], events: [2] }],
    count: 1,
    last: 4,
  });
});

test('repeated takes cover each event once, and each take fills the room', () => {
  const pages = fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(pages, fc.integer({ min: 1, max: 12 }), (handlersOf, room) => {
      const needed = (event: number): number => handlersOf[event - 1] ?? 0;
      const all = handlersOf.map((_, at) => at + 1);
      let page: readonly PlannedEvents[] = [0, 1, 2, 3].map((count) => ({
        events: all.filter((event) => needed(event) === count),
        routes: routes(count),
      }));
      const got: string[] = [];
      for (let after = 0; after < all.length;) {
        const { deliveries, count, last } = takeEvents(page, room);

        expect(last).toBeGreaterThan(after);
        const calls = deliveries.flatMap(({ route, events }) =>
          events.map((event) => `${route.handler} ${String(event)}`),
        );
        expect(calls).toHaveLength(count);
        const most = all.slice(after, last).reduce((sum, event) => sum + needed(event), 0);
        expect(count).toBe(most);
        if (count > room) expect(last).toBe(after + 1);
        if (last < all.length) expect(count + needed(last + 1)).toBeGreaterThan(room);
        got.push(...calls);
        page = page.flatMap(({ events, routes }) => {
          const left = events.filter((event) => event > last);
          return left.length === 0 ? [] : [{ events: left, routes }];
        });
        after = last;
      }
      expect(page).toEqual([]);
      const wanted = all.flatMap((event) =>
        routes(needed(event)).map(({ handler }) => `${handler} ${String(event)}`),
      );
      expect(got.toSorted()).toEqual(wanted.toSorted());
    }),
    { numRuns: 200 },
  );
});
