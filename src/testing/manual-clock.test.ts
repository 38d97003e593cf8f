import { describe, expect, it } from 'vitest';
import { manualClock } from './manual-clock.ts';

describe('a manual clock', () => {
  it('changes only when it is advanced', () => {
    const clock = manualClock('2026-03-01T12:00:00Z');
    expect([clock.now(), clock.monotonic()]).toEqual([Date.UTC(2026, 2, 1, 12), 0]);
    clock.advance(1500);
    expect([clock.now(), clock.monotonic()]).toEqual([Date.UTC(2026, 2, 1, 12, 0, 1, 500), 1500]);
  });

  it('fires timers in the order of their due times, each at its own time', () => {
    const clock = manualClock(0);
    const fired: [string, number][] = [];
    clock.after(20, () => fired.push(['b', clock.monotonic()]));
    clock.after(10, () => fired.push(['a', clock.monotonic()]));
    clock.after(20, () => fired.push(['c', clock.monotonic()]));
    clock.after(31, () => fired.push(['never', clock.monotonic()]));
    clock.advance(30);
    expect(fired).toEqual([
      ['a', 10],
      ['b', 20],
      ['c', 20],
    ]);
    expect(clock.untilNext).toBe(1);
  });

  it('fires a timer that a fired timer sets, when it is due too', () => {
    const clock = manualClock(0);
    const fired: number[] = [];
    function tick(): void {
      fired.push(clock.monotonic());
      clock.after(10, tick);
    }
    clock.after(10, tick);
    clock.advance(35);
    expect(fired).toEqual([10, 20, 30]);
  });

  it('does not fire a canceled timer', () => {
    const clock = manualClock(0);
    let fired = false;
    const cancel = clock.after(1, () => (fired = true));
    cancel();
    cancel();
    clock.advance(5);
    expect(fired).toBe(false);
    expect(clock.untilNext).toBeNull();
  });

  it('changes only now() when it jumps', () => {
    const clock = manualClock(1000);
    let fired = false;
    clock.after(10, () => (fired = true));
    clock.jump(-500);
    expect([clock.now(), clock.monotonic(), fired]).toEqual([500, 0, false]);
  });

  it('rejects a negative advance, and a start that is not an instant', () => {
    expect(() => {
      manualClock().advance(-1);
    }).toThrow(RangeError);
    expect(() => manualClock('yesterday')).toThrow(/not an instant/);
  });
});
