/** Reads `PORTARIA_EXPECT`. */
import type { Problem } from '../kernel/errors.ts';
import { parsePeriod } from '../kernel/time/durations.ts';

const WHERE = 'PORTARIA_EXPECT';

/** An entry of `PORTARIA_EXPECT`: an event of a matching kind is expected within this time. */
export interface Expectation {
  /** A kind or wildcard. */
  readonly pattern: string;
  readonly withinMs: number;
}

/**
 * Reads `PORTARIA_EXPECT`: `charge.created=1d,company.*=6h`. Kinds outside the
 * contract are allowed, because handlers may define them.
 */
export function readExpectations(setting: string): {
  readonly expected: readonly Expectation[];
  readonly problems: readonly Problem[];
} {
  const expected: Expectation[] = [];
  const problems: Problem[] = [];
  if (setting.trim() === '') return { expected, problems };
  for (const entry of setting.split(',').map((part) => part.trim())) {
    const [pattern = '', duration, ...rest] = entry.split('=').map((part) => part.trim());
    const add = (message: string) =>
      problems.push({ where: WHERE, message: `${JSON.stringify(entry)} ${message}` });
    if (duration === undefined || rest.length > 0 || pattern === '') {
      add('is not of the form kind=duration; write for example charge.created=1d');
      continue;
    }
    if (!/^[a-z0-9.*_-]+$/i.test(pattern))
      add('has no valid kind; write a kind such as charge.created, or company.*');
    else if (expected.some((one) => one.pattern === pattern)) add('names a kind twice; keep one of them');
    const withinMs = parsePeriod(duration) ?? 0;
    if (withinMs === 0) add('has no valid duration; write minutes, hours, days or weeks: 30m, 6h, 1d, 2w');
    else expected.push({ pattern, withinMs });
  }
  return { expected: problems.length > 0 ? [] : expected, problems };
}
