/** Limits on time, which only a quiet machine keeps. */
import { expect, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether limits on time are checked: by `npm run test:measured` alone. */
    readonly measures: boolean;
  }
}

/** Checks a figure of a test against its limit where time is measured. Elsewhere the figure is only printed. */
export function expectBelow(limit: number, figure: number, what: string): void {
  if (inject('measures')) expect(figure, what).toBeLessThan(limit);
}
