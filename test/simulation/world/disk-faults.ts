/** Faults of commits: one that fails, and the end of the process just before or after one. */
import BetterSqlite3, { type Database } from 'better-sqlite3';

/** What happens at a commit. */
export type DiskFault = 'full' | 'busy' | 'broken' | 'die-before' | 'die-after';

const codes = { full: 'SQLITE_FULL', busy: 'SQLITE_BUSY', broken: 'SQLITE_IOERR_FSYNC' } as const;

interface Planned {
  readonly fault: DiskFault;
  /** Commits that succeed before. */
  after: number;
  /** Commits that fail. */
  times: number;
}

/** Commits of the simulated process. */
export interface Disk {
  /** Plans a fault of a later commit; it replaces one that is planned. */
  plan(fault: DiskFault, after: number, times: number): void;
  /** No commit fails any more. */
  heal(): void;
  readonly isFaulty: boolean;
  readonly commits: number;
  /** How many commits have failed. */
  readonly failures: number;
}

/** The transactions of a connection to one file, until `restore`. */
export function simulateDisk(die: () => void, isDead: () => boolean): { disk: Disk; restore: () => void } {
  const { prototype } = BetterSqlite3;
  const real = Object.getOwnPropertyDescriptor(prototype, 'transaction');
  const original = prototype.transaction as (
    this: Database,
    work: (...values: never[]) => unknown,
  ) => unknown;
  let planned: Planned | null = null;
  let commits = 0;
  let failures = 0;

  function due(): DiskFault | null {
    if (planned === null) return null;
    if (planned.after > 0) {
      planned.after -= 1;
      return null;
    }
    const { fault } = planned;
    failures += 1;
    planned.times -= 1;
    if (planned.times <= 0) planned = null;
    return fault;
  }

  function rejectDead(): void {
    if (isDead()) throw new BetterSqlite3.SqliteError('the process is dead', 'SQLITE_IOERR');
  }

  const simulated = function (this: Database, work: (...values: never[]) => unknown): unknown {
    let fault: DiskFault | null = null;
    const transaction = original.call(this, (...values) => {
      const result = work(...values);
      if (isDead()) rejectDead();
      if (fault === 'die-before') {
        die();
        rejectDead();
      }
      if (fault !== null && fault in codes)
        throw new BetterSqlite3.SqliteError(`simulated: ${fault}`, codes[fault as keyof typeof codes]);
      return result;
    }) as Record<string, (...values: unknown[]) => unknown>;
    const outermost =
      (begin: (...values: unknown[]) => unknown) =>
      (...values: unknown[]): unknown => {
        if (this.inTransaction) return begin(...values);
        rejectDead();
        fault = due();
        const result = begin(...values);
        commits += 1;
        if (fault === 'die-after') die();
        return result;
      };
    const call = outermost(transaction['default'] as never);
    return Object.assign(call, {
      deferred: outermost(transaction['deferred'] as never),
      immediate: outermost(transaction['immediate'] as never),
      exclusive: outermost(transaction['exclusive'] as never),
    });
  };
  Object.defineProperty(prototype, 'transaction', { configurable: true, writable: true, value: simulated });

  return {
    disk: {
      plan(fault, after, times) {
        planned = { fault, after, times };
      },
      heal() {
        planned = null;
      },
      get isFaulty() {
        return planned !== null;
      },
      get commits() {
        return commits;
      },
      get failures() {
        return failures;
      },
    },
    restore() {
      Object.defineProperty(prototype, 'transaction', real ?? { value: original });
    },
  };
}
