import { expect, test } from 'vitest';
import { defineHandler } from '../define/handler.ts';
import { defineMachine } from '../define/machine.ts';
import { definitionOf, recordedDeliveryNames, recordedHandler } from './recorded-handler.ts';
import { createRegistry } from './registry.ts';

const handler = defineHandler({
  name: 'mail',
  on: ['company.*', 'charge.updated'],
  order: 'none',
  stale: true,
  retry: { attempts: 3 },
  handle: () => 'ran',
});
const machine = defineMachine({
  name: 'slips',
  on: 'charge.*',
  initial: { seen: 0 },
  evolve: ({ seen }) => ({ seen: seen + 1 }),
  effects: { onFirst: { when: () => true, run: () => undefined } },
});
const own = createRegistry([handler, machine]);

/** The registry that another process builds from the records, as they come out of a store. */
const recorded = createRegistry(
  (
    JSON.parse(JSON.stringify(own.definitions.map(recordedHandler))) as ReturnType<typeof recordedHandler>[]
  ).map(definitionOf),
);

test('records route events as the definitions do', () => {
  expect(recorded.deliveryNames).toEqual(own.deliveryNames);
  expect(recordedDeliveryNames(own.definitions.map(recordedHandler))).toEqual(own.deliveryNames);
  expect(recorded.coverage()).toEqual(own.coverage());
  for (const event of [
    { kind: 'charge.updated', recognized: true },
    { kind: 'company.archived', recognized: false },
    { kind: 'traffic-violation.created', recognized: true },
  ])
    expect(recorded.routesFor(event)).toEqual(own.routesFor(event));
  expect(recorded.definitions.map(recordedHandler)).toEqual(own.definitions.map(recordedHandler));
});

test('a recorded definition cannot run', () => {
  const [mail, slips] = recorded.definitions;
  if (mail?.type !== 'handler' || slips?.type !== 'machine') throw new Error('they changed their types');
  expect(() => mail.handle({} as never, {} as never)).toThrow('handler mail runs in another process');
  expect(() => slips.evolve(null, {} as never)).toThrow('machine slips runs in another process');
  expect(() => slips.effects[0]?.run({} as never, {} as never)).toThrow('runs in another process');
});
