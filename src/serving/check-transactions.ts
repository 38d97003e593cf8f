/** Looks, at the start, whether the transactions that handlers use can begin. */
import type { Definition } from '../handle/define/definition.ts';
import { KEYS_TABLE, type Transaction } from '../handle/define/transaction.ts';
import { errorCode, PortariaError, type Problem } from '../kernel/errors.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Clock } from '../kernel/time/clock.ts';

/** Milliseconds for the users' databases to answer: a start must not wait for one that hangs. */
const ANSWER_MS = 5_000;

/**
 * Warns of a database that does not answer, because webhooks are taken without it, and of a pool that is smaller than
 * the concurrency.
 *
 * @throws PortariaError `handler-invalid` when a database has no table of keys; it names every handler that needs it
 */
export async function checkTransactions(
  definitions: readonly Definition[],
  { concurrency, clock, log }: { readonly concurrency: number; readonly clock: Clock; readonly log: Logger },
): Promise<void> {
  const users = Map.groupBy(
    definitions.filter(({ transaction }) => transaction !== undefined),
    ({ transaction }) => transaction as Transaction<unknown>,
  );
  const checked = [...users].map(async ([transaction, using]): Promise<readonly Problem[]> => {
    const handlers = using.map(({ name }) => name);
    const { connections } = transaction;
    if (connections !== null && connections < concurrency)
      log.warn(
        { handlers, connections, concurrency },
        'the pool of a transaction has fewer connections than PORTARIA_CONCURRENCY: attempts wait for each other',
      );
    const error = await failureOf(transaction, clock);
    if (error === undefined) return [];
    const reason = failureReason(error);
    if (isMissingTable(error))
      return using.map(({ type, name }) => ({
        where: `${type} "${name}"`,
        message: `its database has no table ${KEYS_TABLE}: create it with what \`portaria transactions ddl\` prints`,
      }));
    log.warn({ handlers, reason }, 'the database of a transaction does not answer: its handlers will fail');
    return [];
  });
  const problems = (await Promise.all(checked)).flat();
  if (problems.length === 0) return;
  const list = problems.map(({ where, message }) => `${where}: ${message}`).join('; ');
  throw new PortariaError('handler-invalid', list, { problems });
}

/** What a look at the table of keys throws; undefined when it succeeds. */
async function failureOf(transaction: Transaction<unknown>, clock: Clock): Promise<unknown> {
  const late = Promise.withResolvers<never>();
  const cancel = clock.after(ANSWER_MS, () => {
    late.reject(new Error(`no answer within ${String(ANSWER_MS)} ms`));
  });
  try {
    await Promise.race([(async () => transaction.check())(), late.promise]);
    return undefined;
  } catch (error) {
    return error;
  } finally {
    cancel();
  }
}

/** By the code of PostgreSQL, and the words of SQLite. */
function isMissingTable(error: unknown): boolean {
  if (errorCode(error) === '42P01') return true;
  return error instanceof Error && error.message.includes(`no such table: ${KEYS_TABLE}`);
}
