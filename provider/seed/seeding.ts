/** What all seeds of records share. */
import { brazilianDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import type { Provider } from '../provider.ts';

/** The kinds of records that seeding counts. */
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

/** Returns the change at a time (milliseconds since 1970), within the transaction of a batch. */
export type At = (time: number) => Change;

/** The seeding of one organization with records and their history. */
export interface Seeding extends Pick<Provider, 'createSecret' | 'baseUrl'> {
  readonly organization: number;
  readonly seed: number;
  /** End of the history, milliseconds since 1970. */
  readonly now: number;
  /** The day of `now` in Brazil, `YYYY-MM-DD`. */
  readonly today: string;
  /** Runs `work` in one transaction whose changes happen at times in the past. */
  batch<T>(work: (at: At) => Promise<T>): Promise<T>;
  /** Adds to the count of a kind of record, 1 by default. */
  count(kind: Seeded, added?: number): void;
  readonly counts: ReadonlyMap<Seeded, number>;
}

/** Opens the seeding of an organization. @param emitsWebhooks whether the changes emit webhooks. */
export function openSeeding(
  provider: Provider,
  organization: number,
  { seed, emitsWebhooks }: { readonly seed: number; readonly emitsWebhooks: boolean },
): Seeding {
  const now = provider.clock.now();
  const counts = new Map<Seeded, number>();
  return {
    organization,
    createSecret: () => provider.createSecret(),
    baseUrl: provider.baseUrl,
    seed,
    now,
    today: brazilianDay(now),
    batch: (work) =>
      provider.change(organization, (change) =>
        work((time) => {
          const past = Math.min(Math.floor(time), now);
          const at = new Date(past).toISOString();
          return { ...change, emitsWebhooks: emitsWebhooks, seed, at, today: brazilianDay(past) };
        }),
      ),
    count(kind, added = 1) {
      counts.set(kind, (counts.get(kind) ?? 0) + added);
    },
    counts,
  };
}
