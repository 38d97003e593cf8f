import { expect, test } from 'vitest';
import { joinedMethods } from './joined-methods.ts';

const reads = { events: () => 'events', states: () => 'of the pool for reads' };

test('a store has the methods of all its parts', () => {
  const store = joinedMethods([reads, { claim: () => 'claimed' }]);

  expect([store.events(), store.claim()]).toEqual(['events', 'claimed']);
});

test('a method that two parts give is an error, because their order would decide which one is called', () => {
  const dispatching = { states: () => 'of the pool for deliveries' };

  expect(() => joinedMethods([reads, dispatching])).toThrow('two parts of the store give the method states');
});
