/** The share of its runs that a slow property makes by default, in percent. */
const DEFAULT_PERCENT = 25;
const MIN_RUNS = 5;

/**
 * The number of runs of a slow property. Every run draws new values, so a quarter of them each
 * time finds as much over time; `PROPERTY_RUNS=100` makes all of them, as the workflow of GitHub does.
 */
export function propertyRuns(all: number): number {
  const percent = Number(process.env['PROPERTY_RUNS'] ?? DEFAULT_PERCENT);
  if (!(percent > 0)) throw new Error('PROPERTY_RUNS is the share of the runs in percent: a number above 0');
  return Math.max(Math.min(all, MIN_RUNS), Math.round((all * percent) / 100));
}
