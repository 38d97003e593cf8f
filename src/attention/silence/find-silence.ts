/** Finds silent sources and kinds. */
import { HOUR_MS, MINUTE_MS } from '../../kernel/time/durations.ts';
import type { HourlyCount, ReceivedKind } from '../../store/monitoring.ts';
import { findHourPattern, localHourOfWeek, probabilityOfSilence, type HourOfWeek } from './hour-pattern.ts';

/** A silence is reported when the probability that it is a coincidence is below this: one in ten thousand. */
const ALERT_PROBABILITY = 1e-4;

/** Milliseconds between the two checks that must both find the silence improbable. */
const BETWEEN_CHECKS_MS = 10 * MINUTE_MS;

/** A source or kind that has been silent for longer than its own pattern allows. */
export interface Silence {
  readonly source: string;
  /** Null when the whole source is silent. */
  readonly kind: string | null;
  /** Milliseconds since 1970. */
  readonly lastReceivedAt: number;
  /** The number of events that usually arrive in this time. */
  readonly expected: number;
}

/**
 * Finds silent sources, and silent kinds of sources that are not silent. A
 * silence counts when it was improbable ten minutes ago and still is, so the
 * shortest one lasts ten minutes.
 *
 * @param counts of the history, of kinds of the contract
 * @param now milliseconds since 1970
 */
export function findSilences(
  received: readonly ReceivedKind[],
  counts: readonly HourlyCount[],
  now: number,
  hourOfWeek: HourOfWeek = remembered(localHourOfWeek),
): readonly Silence[] {
  const countsOf = Map.groupBy(counts, ({ source }) => source);
  return [...Map.groupBy(received, ({ source }) => source)].flatMap(([source, kinds]) => {
    const history = countsOf.get(source) ?? [];
    const whole = silenceOf({ source, kind: null, received: kinds, history, now, hourOfWeek });
    if (whole !== null) return [whole];
    const historyOf = Map.groupBy(history, ({ kind }) => kind);
    return kinds.flatMap((one) => {
      const { kind } = one;
      const silence = silenceOf({
        source,
        kind,
        received: [one],
        history: historyOf.get(kind) ?? [],
        now,
        hourOfWeek,
      });
      return silence === null ? [] : [silence];
    });
  });
}

interface Series {
  readonly source: string;
  readonly kind: string | null;
  readonly received: readonly ReceivedKind[];
  readonly history: readonly HourlyCount[];
  readonly now: number;
  readonly hourOfWeek: HourOfWeek;
}

/** The history ends where the silence begins: what is judged must not be part of the pattern. */
function silenceOf({ source, kind, received, history, now, hourOfWeek }: Series): Silence | null {
  const lastReceivedAt = Math.max(...received.map((one) => one.lastReceivedAt));
  const oldest = history[0]?.hour;
  if (oldest === undefined || now - BETWEEN_CHECKS_MS <= lastReceivedAt) return null;
  // The first hour was seen in part.
  const span = { first: oldest + 1, end: Math.floor(lastReceivedAt / HOUR_MS) };
  const pattern = findHourPattern(history, span, hourOfWeek);
  if (pattern === null) return null;
  const checks = [now - BETWEEN_CHECKS_MS, now];
  if (checks.some((check) => probabilityOfSilence(pattern, lastReceivedAt, check) >= ALERT_PROBABILITY))
    return null;
  return { source, kind, lastReceivedAt, expected: pattern.expected(lastReceivedAt, now) };
}

/** Time zones are slow, and all series ask for the same hours. */
function remembered(hourOfWeek: HourOfWeek): HourOfWeek {
  const known = new Map<number, number>();
  return (hour) => {
    const found = known.get(hour) ?? hourOfWeek(hour);
    known.set(hour, found);
    return found;
  };
}
