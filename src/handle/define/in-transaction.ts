/** Runs code in a transaction of the user's own database, so that its effect is committed exactly once. */
import { errorCode } from '../../kernel/errors.ts';
import { GiveUp, isOutcome } from './outcome.ts';
import { DONE_BEFORE, type OnReplay, type Transaction } from './transaction.ts';

/** The codes of PostgreSQL for a transaction that another one made fail: it may succeed at once. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40001', '40P01']);

/** Milliseconds more than an attempt's time for which a transaction may be idle: a handler gets time to end. */
const UNWIND_MS = 5_000;

/** The code of PostgreSQL for a statement after one that failed in the same transaction. */
const FAILED_BEFORE = '25P02';

export interface TransactionRun {
  readonly key: string;
  /** Milliseconds that the attempt may take. */
  readonly timeoutMs: number;
  readonly signal: () => AbortSignal;
}

/**
 * Runs `work` in a transaction that begins with the key. Returns undefined where the key was stored before: the work is
 * done. An outcome that the work requests, an error, and an abort before the commit roll back. After a conflict with
 * another transaction, everything runs once more within the attempt.
 */
export function inTransaction(
  transaction: Transaction<unknown>,
  work: (tx: unknown) => unknown,
  { key, timeoutMs, signal }: TransactionRun,
): unknown {
  const idleMs = timeoutMs + UNWIND_MS;

  /** A run that has lost its time or its lease must not commit: the next one, or another process, does the work. */
  function toCommit(value: unknown): unknown {
    if (isOutcome(value)) throw value;
    signal().throwIfAborted();
    return value;
  }

  const once = (): unknown =>
    transaction.once(
      key,
      transaction.isSynchronous
        ? (tx) => toCommit(withoutPromise(work(tx)))
        : async (tx) => toCommit(await work(tx)),
      { idleMs },
    );
  if (transaction.isSynchronous) return withoutMark(once());
  return (async () => {
    try {
      return withoutMark(await once());
    } catch (error) {
      if (!CONFLICTS.has(errorCode(error))) throw explained(error);
    }
    try {
      return withoutMark(await once());
    } catch (error) {
      throw explained(error);
    }
  })();
}

/** The key of a delivery: `onReplay: 'again'` gives each replay one of its own. */
export function transactionKey(
  idempotencyKey: string,
  replay: string | null,
  onReplay: OnReplay | undefined,
): string {
  return replay === null || onReplay !== 'again' ? idempotencyKey : `${idempotencyKey}/${replay}`;
}

function withoutMark(value: unknown): unknown {
  return value === DONE_BEFORE ? undefined : value;
}

/** What a promise does later is outside of a transaction of SQLite, and another attempt would do it again: the first is the last. */
function withoutPromise(value: unknown): unknown {
  if (!isThenable(value)) return value;
  Promise.resolve(value).catch(() => undefined);
  throw GiveUp(
    'the handler returned a promise: a transaction of SQLite ends with the call, so the handler must be synchronous. What it wrote in the call was rolled back; what it writes later is outside of the transaction',
  );
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function explained(error: unknown): unknown {
  if (errorCode(error) !== FAILED_BEFORE) return error;
  const why =
    'an earlier statement of the transaction failed, and its error was swallowed: let it throw, or use a savepoint; nothing was committed';
  return new Error(`${why} (25P02)`, { cause: error });
}
