import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { manualClock } from '../../testing/manual-clock.ts';
import { createProgress } from './progress.ts';

function screen(isTerminal: boolean) {
  let text = '';
  const stream = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        done();
      },
    }),
    // The members of a TTY stream that the bar uses.
    {
      isTTY: isTerminal,
      columns: 100,
      cursorTo: () => true,
      moveCursor: () => true,
      clearLine: () => true,
    },
  );
  const clock = manualClock();
  const err = { stream, isTerminal, colors: false, columns: () => 100 };
  return { progress: createProgress({ err, clock }, 'r1'), clock, shown: () => text };
}

test.each([true, false])('shows nothing while the total is 0 (terminal: %s)', (isTerminal) => {
  const { progress, clock, shown } = screen(isTerminal);
  clock.advance(6000);
  progress.update(0, 0, '');
  progress.stop();
  expect(shown()).toBe('');
});

test('a bar shows ? while the remaining time is unknown', () => {
  const { progress, shown } = screen(true);
  progress.update(0, 0, '');
  progress.update(0, 4, '');
  progress.update(0, 4, '');
  progress.update(4, 4, '1 dead');
  progress.stop();
  expect(shown()).toContain('0/4  ETA ?');
  expect(shown()).toContain('4/4 1 dead');
  expect(shown()).not.toMatch(/NaN|NULL|INF|0\/0/);
});

test('writes a line every five seconds where output is no terminal', () => {
  const { progress, clock, shown } = screen(false);
  progress.update(1, 9, '');
  clock.advance(5000);
  progress.update(2, 9, '1 dead');
  progress.update(3, 9, '');
  expect(shown()).toBe('r1: 2 of 9, 1 dead\n');
});
