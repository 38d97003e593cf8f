/** Names prepared statements, so that the server parses each of them once. */
import { errorCode } from '../../../kernel/errors.ts';
import { createHash } from 'node:crypto';

/**
 * Names for statements that run again and again, so that PostgreSQL parses each of them once in a
 * connection, and may keep its plan.
 *
 * A pooler in transaction mode may not know them. The first error that says so ends them, for all connections.
 */
export interface StatementNames {
  /** Returns the name of a statement; undefined when it has none. */
  nameOf(text: string): string | undefined;
  /** Ends all names when the error says that a name was unknown, or used before. Returns whether it says so. */
  endAfter(error: unknown): boolean;
}

/** Names at most: each takes memory in each connection of the server. */
const MAX_NAMES = 100;

/**
 * PostgreSQL's codes of a name that it does not know, of one that it knows already, and of a plan that no longer fits
 * its tables.
 */
const ENDING = ['26000', '42P05', '0A000'];

export function createStatementNames(): StatementNames {
  const names = new Map<string, string>();
  let ended = false;
  return {
    nameOf(text) {
      if (ended) return undefined;
      const known = names.get(text);
      if (known !== undefined || names.size >= MAX_NAMES) return known;
      // By its text: behind a pooler, processes share connections, and a name must mean the same to all of them.
      const name = `portaria_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
      names.set(text, name);
      return name;
    },
    endAfter(error) {
      const isOfNames = ENDING.includes(errorCode(error) ?? '');
      ended ||= isOfNames;
      return isOfNames;
    },
  };
}
