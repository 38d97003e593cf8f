/** What nobody caught: a handler's is told and survived, Portaria's own ends the process. */
import { describe, expect, test } from 'vitest';
import type { Logger } from '../kernel/logger.ts';
import { watchStrayErrors } from './stray-errors.ts';
import type { Terminal } from './terminal/terminal.ts';

function watched() {
  let uncaught: Parameters<Terminal['onUncaught']>[0] | undefined;
  let foreignExit: Parameters<Terminal['onForeignExit']>[0] | undefined;
  const exits: number[] = [];
  const told: string[] = [];
  const log = { error: (_fields: object, message: string) => told.push(message) } as unknown as Logger;
  const stop = watchStrayErrors(
    {
      onUncaught(callback) {
        uncaught = callback;
        return () => (uncaught = undefined);
      },
      onForeignExit(callback) {
        foreignExit = callback;
        return () => (foreignExit = undefined);
      },
      exit: (code) => exits.push(code),
    },
    log,
  );
  return {
    exits,
    told,
    stop,
    watching: () => [uncaught, foreignExit].filter((callback) => callback !== undefined).length,
    stray: (thrown: unknown, how: 'exception' | 'rejection' = 'rejection') => uncaught?.(thrown, how),
    foreignExit: (code: number, stack: string) => foreignExit?.(code, stack),
  };
}

/** An error that came through these places, the innermost first. */
function errorFrom(...places: string[]): Error {
  const frames = places.map((place) => `    at step (${place}:1:2)`);
  return Object.assign(new Error('closed'), { stack: ['Error: closed', ...frames].join('\n') });
}

const handler = '/srv/handlers/ledger.ts';
const library = 'file:///srv/handlers/node_modules/pg/lib/client.js';
const node = 'node:internal/timers';
// This very file lies among Portaria's own.
const own = import.meta.url;

describe('goes on', () => {
  test.each([
    ['a handler', errorFrom(handler, node)],
    ['a handler that Portaria called', errorFrom(handler, own)],
    ['Portaria’s code that a handler called', errorFrom(own, handler)],
    ['a library’s listener', errorFrom(library, node)],
    ['Node alone', errorFrom(node)],
    ['nowhere', errorFrom()],
    ['a signal that was aborted', new DOMException('timed out after 5 ms', 'TimeoutError')],
  ])('after an error from %s', (_name, error) => {
    const { exits, told, stray } = watched();
    stray(error);
    expect(exits).toEqual([]);
    expect(told).toEqual([expect.stringContaining('A handler left a promise behind')]);
    expect(told[0]).toContain(error.message);
  });

  test.each([undefined, null, 'text', Object.freeze({}), new Proxy({}, { get: () => fail() })])(
    'after what is no error at all',
    (thrown) => {
      const { exits, told, stray } = watched();
      stray(thrown, 'exception');
      expect(exits).toEqual([]);
      expect(told).toEqual([expect.stringContaining('A handler left a timer or listener behind')]);
    },
  );
});

test.each(['exception', 'rejection'] as const)('an %s of Portaria’s own ends the process with 1', (how) => {
  const { exits, told, stray } = watched();
  stray(errorFrom(library, own, node), how);
  expect(exits).toEqual([1]);
  expect(told).toEqual([expect.stringContaining('of Portaria')]);
});

test('what looks like personal data does not reach the log', () => {
  const { told, stray } = watched();
  stray(new Error('no such driver: 529.982.247-25'));
  expect(told[0]).not.toContain('529.982.247-25');
});

test('a handler’s own exit is named with its place, and does not look like success', () => {
  const { told, foreignExit } = watched();
  const { stack = '' } = errorFrom(own, node, handler, own);
  expect(foreignExit(0, stack)).toBe(1);
  expect(told).toEqual([expect.stringMatching(/process\.exit\(0\).*ledger\.ts/)]);
});

test('stops when told to', () => {
  const { stop, watching } = watched();
  expect(watching()).toBe(2);
  stop();
  expect(watching()).toBe(0);
});

function fail(): never {
  throw new Error('do not look');
}
