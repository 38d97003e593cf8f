import { brazilianDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import type { Provider } from '../provider.ts';

/** What an organization is filled with, as the table at the end counts it. */
export type Seeded =
  | 'companies'
  | 'users'
  | 'drivers'
  | 'console users'
  | 'traffic violations'
  | 'payment slips of traffic violations'
  | 'driver indications'
  | 'appeals'
  | 'ANTT violations'
  | 'payment slips of ANTT violations'
  | 'charges'
  | 'payment slips of charges';

/** The change of a moment, milliseconds since 1970, in the transaction of a batch. */
export type At = (instant: number) => Change;

/** The filling of one organization with a past. */
export interface Seeding extends Pick<Provider, 'drawSecret' | 'baseUrl'> {
  readonly organization: number;
  readonly seed: number;
  /** Where the past ends, milliseconds since 1970. */
  readonly now: number;
  /** That day in Brazil, `YYYY-MM-DD`. */
  readonly today: string;
  /** Runs `work` in a transaction of its own, in which things happen at moments of the past. */
  batch<T>(work: (at: At) => Promise<T>): Promise<T>;
  /** Records were made. */
  count(what: Seeded, made?: number): void;
  readonly counts: ReadonlyMap<Seeded, number>;
}

/** @param isTold whether webhooks tell of what is made. */
export function openSeeding(
  provider: Provider,
  organization: number,
  { seed, isTold }: { readonly seed: number; readonly isTold: boolean },
): Seeding {
  const now = provider.clock.now();
  const counts = new Map<Seeded, number>();
  return {
    organization,
    drawSecret: () => provider.drawSecret(),
    baseUrl: provider.baseUrl,
    seed,
    now,
    today: brazilianDay(now),
    batch: (work) =>
      provider.change(organization, (change) =>
        work((instant) => {
          const moment = Math.min(Math.floor(instant), now);
          const at = new Date(moment).toISOString();
          return { ...change, isTold, seed, at, today: brazilianDay(moment) };
        }),
      ),
    count(what, made = 1) {
      counts.set(what, (counts.get(what) ?? 0) + made);
    },
    counts,
  };
}

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
