/** Limits on time, which only a quiet machine keeps. */
import { expect, inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether limits on time are checked: by `npm run test:measured` alone. */
    readonly measures: boolean;
  }
}

/** Returns the size of a load: the whole one where its figures are measured, elsewhere one that shows the same order. */
export function loadOf(whole: number, { elsewhere }: { readonly elsewhere: number }): number {
  return inject('measures') ? whole : elsewhere;
}

/** Checks a figure of a test against its limit where time is measured. Elsewhere the figure is only printed. */
export function expectBelow(limit: number, figure: number, what: string): void {
  if (inject('measures')) expect(figure, what).toBeLessThan(limit);
}
