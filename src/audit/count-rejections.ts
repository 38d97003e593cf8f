/** Keeps the audit of rejected requests and sign-ins small. */
import type { Cancel, Clock } from '../kernel/time/clock.ts';
import type { NewAuditEntry } from '../store/audit.ts';

/** Milliseconds for which equal rejections are counted together. */
const WINDOW_MS = 60_000;

/** Groups of a window with entries of their own. All others share one, without an address. */
const MAX_GROUPS = 10;

/** Keeps the audit of rejected requests small, however many there are; and that of sign-ins. */
export interface RejectionCounts {
  /** Counts a rejection. Only the first of its group in a minute is written at once; resolves after that. */
  add(entry: NewAuditEntry): Promise<void>;
  /** Writes what was counted. */
  flush(): Promise<void>;
}

interface Group {
  readonly entry: NewAuditEntry;
  /** Rejections after the first, which was written. */
  further: number;
}

/**
 * Counts rejected requests by place, address, action, actor and status. In a minute, each of the first ten
 * groups writes its first rejection at once and the number of others at the end; all other groups write one
 * number. So a flood writes 21 entries a minute, from one address two.
 *
 * @param write appends an entry; it must not throw
 */
export function createRejectionCounts(
  clock: Clock,
  write: (entry: NewAuditEntry) => Promise<void>,
): RejectionCounts {
  let groups = new Map<string, Group>();
  let others: Group | undefined;
  let cancel: Cancel | undefined;

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    const counted = [...groups.values(), ...(others === undefined ? [] : [others])];
    groups = new Map();
    others = undefined;
    for (const { entry, further } of counted)
      if (further > 0) await write({ ...entry, at: clock.now(), times: further });
  }

  return {
    async add(entry) {
      cancel ??= clock.after(WINDOW_MS, () => void flush());
      const key = JSON.stringify([entry.place, entry.address, entry.action, entry.actor, entry.status]);
      const known = groups.get(key);
      if (known !== undefined) known.further += 1;
      else if (groups.size < MAX_GROUPS) {
        groups.set(key, { entry, further: 0 });
        await write(entry);
      } else {
        const { place, action, result } = entry;
        others ??= {
          entry: { ...entry, place, action, result, address: null, actor: null, subject: {} },
          further: 0,
        };
        others.further += 1;
      }
    },
    flush,
  };
}
