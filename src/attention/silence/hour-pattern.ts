/** Learns from past hours how often events usually arrive, to recognize unusual silence. */
import { DAY_MS, HOUR_MS } from '../../kernel/time/durations.ts';

/** The history that a pattern needs: two weeks, so that each hour of the week was seen twice. */
const MIN_HISTORY_HOURS = 14 * 24;

/** The events in the history that a pattern needs. */
const MIN_HISTORY_EVENTS = 100;

const HOURS_OF_WEEK = 7 * 24;

/** The events of one hour. Hours are counted from 1970. */
export interface HourCount {
  readonly hour: number;
  readonly events: number;
}

/** How often events usually arrive, by the hour of the week. */
export interface HourPattern {
  /** The number of events that usually arrive between two times, in milliseconds since 1970. */
  expected(from: number, to: number): number;
  /** A bound for the mean number of events that arrive together; at least 1. */
  readonly burst: number;
}

/** Returns the hour of the week, from 0, of an hour since 1970. */
export type HourOfWeek = (hour: number) => number;

/** The hour of the week by the clock on the wall here: people work by it, and change it in summer. */
export const localHourOfWeek: HourOfWeek = (hour) => {
  const date = new Date(hour * HOUR_MS);
  return date.getDay() * 24 + date.getHours();
};

/**
 * Finds the pattern of a history. The rate of an hour of the week is its mean,
 * less one standard error, as if one more week had been silent: a short history
 * expects less, and chance in few numbers does not raise an alarm.
 *
 * Events are taken to come in bursts at random times. The variance of their
 * numbers, divided by the mean, bounds the mean size of a burst. The larger of
 * that of hours and that of days counts, so that irregular days expect less, too.
 *
 * @param counts of hours in the history; hours without events may be missing
 * @param first the first hour of the history
 * @param end the hour after its last
 * @returns null when the history is shorter than two weeks or has fewer than a hundred events
 */
export function findHourPattern(
  counts: readonly HourCount[],
  { first, end }: { readonly first: number; readonly end: number },
  hourOfWeek: HourOfWeek = localHourOfWeek,
): HourPattern | null {
  const hours = end - first;
  if (hours < MIN_HISTORY_HOURS) return null;
  const events = new Float64Array(hours);
  let total = 0;
  for (const { hour, events: count } of counts) {
    if (hour < first || hour >= end) continue;
    events[hour - first] = (events[hour - first] ?? 0) + count;
    total += count;
  }
  if (total < MIN_HISTORY_EVENTS) return null;

  const seen = new Float64Array(HOURS_OF_WEEK);
  const sums = new Float64Array(HOURS_OF_WEEK);
  const slots = Uint8Array.from({ length: hours }, (_, at) => hourOfWeek(first + at));
  for (const [at, slot] of slots.entries()) {
    seen[slot] = (seen[slot] ?? 0) + 1;
    sums[slot] = (sums[slot] ?? 0) + (events[at] ?? 0);
  }
  const mean = (slot: number) => (sums[slot] ?? 0) / Math.max(1, seen[slot] ?? 0);
  const means = Float64Array.from(slots, mean);
  const weeks = hours / HOURS_OF_WEEK;

  const burst = Math.max(1, dispersion(events, means, weeks), dispersion(byDay(events), byDay(means), weeks));
  const rate = (slot: number): number => {
    const sum = sums[slot] ?? 0;
    return Math.max(0, sum - Math.sqrt(burst * sum)) / ((seen[slot] ?? 0) + 1);
  };

  return { burst, expected: (from, to) => sumOverHours(from, to, (hour) => rate(hourOfWeek(hour))) };
}

/** The probability that nothing arrives between two times. */
export function probabilityOfSilence(pattern: HourPattern, from: number, to: number): number {
  return Math.exp(-pattern.expected(from, to) / pattern.burst);
}

/** Variance by mean. The means come from the same numbers, which hides a part of the variance: of `weeks`, one. */
function dispersion(numbers: Float64Array, means: Float64Array, weeks: number): number {
  let squares = 0;
  let total = 0;
  for (const [at, number] of numbers.entries()) {
    squares += (number - (means[at] ?? 0)) ** 2;
    total += means[at] ?? 0;
  }
  return (squares / total) * (weeks / (weeks - 1));
}

function byDay(hours: Float64Array): Float64Array {
  const days = new Float64Array(Math.ceil(hours.length / (DAY_MS / HOUR_MS)));
  for (const [at, number] of hours.entries()) {
    const day = Math.floor(at / 24);
    days[day] = (days[day] ?? 0) + number;
  }
  return days;
}

function sumOverHours(from: number, to: number, rate: (hour: number) => number): number {
  let sum = 0;
  for (let at = from; at < to;) {
    const hour = Math.floor(at / HOUR_MS);
    const next = Math.min(to, (hour + 1) * HOUR_MS);
    sum += rate(hour) * ((next - at) / HOUR_MS);
    at = next;
  }
  return sum;
}
