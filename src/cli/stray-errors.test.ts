/** Uncaught errors: a handler's is logged and the process goes on; one of Portaria's own ends the process. */
import { describe, expect, test } from 'vitest';
import type { Logger } from '../kernel/logger.ts';
import { watchStrayErrors } from './stray-errors.ts';
import type { Terminal } from './terminal/terminal.ts';

function watch() {
  let uncaught: Parameters<Terminal['onUncaught']>[0] | undefined;
  let foreignExit: Parameters<Terminal['onForeignExit']>[0] | undefined;
  const exits: number[] = [];
  const logged: string[] = [];
  const log = { error: (_fields: object, message: string) => logged.push(message) } as unknown as Logger;
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
    logged,
    stop,
    watching: () => [uncaught, foreignExit].filter((callback) => callback !== undefined).length,
    stray: (thrown: unknown, how: 'exception' | 'rejection' = 'rejection') => uncaught?.(thrown, how),
    foreignExit: (code: number, stack: string) => foreignExit?.(code, stack),
  };
}

/** An error whose stack names these files, innermost first. */
function errorFrom(...places: string[]): Error {
  const frames = places.map((place) => `    at step (${place}:1:2)`);
  return Object.assign(new Error('closed'), { stack: ['Error: closed', ...frames].join('\n') });
}

const handler = '/srv/handlers/ledger.ts';
const library = 'file:///srv/handlers/node_modules/pg/lib/client.js';
const node = 'node:internal/timers';
// This test file is in Portaria's source folder.
const own = import.meta.url;

describe('the process goes on', () => {
  test.each([
    ['a handler', errorFrom(handler, node)],
    ['a handler that Portaria called', errorFrom(handler, own)],
    ['Portaria’s code that a handler called', errorFrom(own, handler)],
    ['a library’s listener', errorFrom(library, node)],
    ['Node alone', errorFrom(node)],
    ['nowhere', errorFrom()],
    ['a signal that was aborted', new DOMException('timed out after 5 ms', 'TimeoutError')],
  ])('after an error from %s', (_name, error) => {
    const { exits, logged, stray } = watch();
    stray(error);
    expect(exits).toEqual([]);
    expect(logged).toEqual([expect.stringContaining('a handler left a promise')]);
    expect(logged[0]).toContain(error.message);
  });

  test.each([undefined, null, 'text', Object.freeze({}), new Proxy({}, { get: () => fail() })])(
    'after a thrown value that is not an error',
    (thrown) => {
      const { exits, logged, stray } = watch();
      stray(thrown, 'exception');
      expect(exits).toEqual([]);
      expect(logged).toEqual([expect.stringContaining('a handler left a timer or listener')]);
    },
  );
});

test.each(['exception', 'rejection'] as const)(
  'an uncaught %s in Portaria’s own code ends the process with 1',
  (how) => {
    const { exits, logged, stray } = watch();
    stray(errorFrom(library, own, node), how);
    expect(exits).toEqual([1]);
    expect(logged).toEqual([expect.stringContaining('Portaria')]);
  },
);

test('personal data in a message does not reach the log', () => {
  const { logged, stray } = watch();
  stray(new Error('no such driver: 529.982.247-25'));
  expect(logged[0]).not.toContain('529.982.247-25');
});

test('process.exit of a handler is logged with its place, and ends the process with 1', () => {
  const { logged, foreignExit } = watch();
  const { stack = '' } = errorFrom(own, node, handler, own);
  expect(foreignExit(0, stack)).toBe(1);
  expect(logged).toEqual([expect.stringMatching(/process\.exit\(0\).*ledger\.ts/)]);
});

test('stops watching when the returned function is called', () => {
  const { stop, watching } = watch();
  expect(watching()).toBe(2);
  stop();
  expect(watching()).toBe(0);
});

function fail(): never {
  throw new Error('must not be read');
}
