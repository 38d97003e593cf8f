/** Asks the provider whether records changed without a webhook. */
import type { AskProvider, ProviderFinding } from '../attention/silence/judge-silence.ts';
import type { CallOptions, Client } from '../client/client.ts';
import { catalogue, isEventKind } from '../contract/catalogue.ts';
import type { Family } from '../contract/family.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Clock } from '../kernel/time/clock.ts';
import { MINUTE_MS, SECOND_MS } from '../kernel/time/durations.ts';

/** A webhook may be this late, and the provider's clock so wrong. */
const TOLERANCE_MS = 5 * MINUTE_MS;

/** Milliseconds for one question, with all its calls. */
const MAX_WAIT_MS = 30 * SECOND_MS;

const PAGE_SIZE = 100;

/** Pages of a list that one question reads: the first, then from the last one back, where new records are. */
const MAX_PAGES = 10;

/** A record of a list, as far as it is read here. */
interface ListedRecord {
  readonly id: string | number;
  readonly updated_at?: string | null | undefined;
}

type ReadPage = (
  client: Client,
  query: { readonly page: number; readonly size: number },
  options: CallOptions,
) => Promise<{ readonly data: readonly ListedRecord[]; readonly total: number }>;

/** The lists whose records have the time of their last change, which sends a webhook. */
const lists: Partial<Readonly<Record<Family, ReadPage>>> = {
  company: (client, query, options) => client.companies.list(query, options),
  'console-user': (client, query, options) => client.consoleUsers.list(query, options),
  'antt-violation-ticket': (client, query, options) => client.anttViolations.tickets.list(query, options),
  'traffic-violation-ticket': (client, query, options) =>
    client.trafficViolations.tickets.list(query, options),
  'charge-payment-slip': (client, query, options) => client.charges.paymentSlips.list(query, options),
};

/** Creates the question whether the provider has changed records that no webhook reported. */
export function createFindChanges({
  client,
  clock,
}: {
  /** Creates the client when it is first used. */
  readonly client: () => Client;
  readonly clock: Clock;
}): AskProvider {
  async function findIn(
    families: readonly Family[],
    window: { readonly after: number; readonly before: number },
    options: CallOptions,
  ): Promise<ProviderFinding> {
    let records = 0;
    for (const family of families) {
      const readPage = lists[family];
      if (readPage === undefined) continue;
      const first = await readPage(client(), { page: 1, size: PAGE_SIZE }, options);
      const lastPage = Math.ceil(first.total / PAGE_SIZE);
      for (let read = 0; read < Math.min(MAX_PAGES, Math.max(1, lastPage)); read += 1) {
        const page = lastPage - read + 1;
        const { data } = read === 0 ? first : await readPage(client(), { page, size: PAGE_SIZE }, options);
        records += data.length;
        const changed = data.find((record) => isBetween(record.updated_at, window));
        if (changed !== undefined)
          return {
            found: 'change',
            subject: `${family}:${String(changed.id)}`,
            at: Date.parse(changed.updated_at ?? ''),
          };
      }
    }
    return { found: 'none', records };
  }

  return async ({ kind, since, now }, outer) => {
    const families = familiesOf(kind);
    if (families.length === 0)
      return { found: 'unknown', reason: 'its records show no time of their last change' };
    const timeout = new AbortController();
    const cancel = clock.after(MAX_WAIT_MS, () => {
      timeout.abort();
    });
    const signal = outer === undefined ? timeout.signal : AbortSignal.any([outer, timeout.signal]);
    try {
      const window = { after: since + TOLERANCE_MS, before: now - TOLERANCE_MS };
      return await findIn(families, window, { signal });
    } catch (error) {
      const reason = timeout.signal.aborted
        ? `no response within ${String(MAX_WAIT_MS / SECOND_MS)} s`
        : failureReason(error);
      return { found: 'unknown', reason };
    } finally {
      cancel();
    }
  };
}

/** The families of a kind, or all, whose lists can be asked. */
function familiesOf(kind: string | null): readonly Family[] {
  if (kind === null) return Object.keys(lists) as Family[];
  if (!isEventKind(kind)) return [];
  const { family } = catalogue[kind];
  return lists[family] === undefined ? [] : [family];
}

function isBetween(
  time: string | null | undefined,
  { after, before }: { readonly after: number; readonly before: number },
): boolean {
  const at = time == null ? NaN : Date.parse(time);
  return at > after && at < before;
}
