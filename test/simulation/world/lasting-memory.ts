/**
 * A database in memory that all connections of a story share, and that outlives the process that opened it: a commit
 * takes a third of what it takes in a file, and what one process has prepared the next one uses.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';

/** What better-sqlite3 calls of its binding. */
interface Native {
  readonly inTransaction: boolean;
  prepare(text: string, database: object, isPragma: boolean, ...more: unknown[]): Statement;
  exec(text: string): void;
  serialize(name: string): Buffer;
}

type NativeClass = new (filename: string, ...more: unknown[]) => Native;

const require = createRequire(import.meta.url);
const { getBinding } = require(join(dirname(require.resolve('better-sqlite3')), 'binding.js')) as {
  getBinding(): { Database: NativeClass };
};
const { cppdb } = require(join(dirname(require.resolve('better-sqlite3')), 'util.js')) as { cppdb: symbol };

export interface SharedMemory {
  /** A connection of its own to look at it. */
  connect(): Database;
  close(): void;
}

/** Until `close`, whoever opens `:memory:` gets a connection to this one, which begins with these bytes. */
export function shareMemory(bytes: Buffer): SharedMemory {
  const binding = getBinding();
  const real = binding.Database;
  const first = new BetterSqlite3(bytes);
  const shared = (first as unknown as Record<symbol, Native>)[cppdb] as Native;
  const prepared = createPrepared(shared);

  function Connected(filename: string, ...more: unknown[]): Native {
    // After name, anonymous, readonly, existing, timeout and verbose: bytes to begin with.
    const isOther = filename !== ':memory:' || more[6] != null;
    return isOther ? new real(filename, ...more) : connection(shared, prepared);
  }
  binding.Database = Connected as unknown as NativeClass;

  return {
    connect: () => new BetterSqlite3(':memory:'),
    close() {
      binding.Database = real;
      first.close();
    },
  };
}

function connection(shared: Native, prepared: Prepared): Native {
  const own: (readonly [string, Statement])[] = [];
  let open = true;
  const requireOpen = (): void => {
    if (!open) throw new TypeError('The database connection is not open');
  };
  return {
    ...{ name: ':memory:', readonly: false, memory: true },
    get open() {
      return open;
    },
    get inTransaction() {
      return shared.inTransaction;
    },
    prepare(text: string, database: object, isPragma: boolean, ...more: unknown[]) {
      requireOpen();
      const taken = prepared.take(text, database, isPragma, ...more);
      // A pragma is read at once.
      if (!isPragma) own.push([text, taken]);
      return taken;
    },
    exec(text: string) {
      requireOpen();
      shared.exec(text);
    },
    serialize: (name: string) => shared.serialize(name),
    close() {
      open = false;
      for (const [text, statement] of own.splice(0)) prepared.giveBack(text, statement);
    },
  } as Native;
}

/** Statements that no open connection has. */
interface Prepared {
  take(...parameters: Parameters<Native['prepare']>): Statement;
  giveBack(text: string, statement: Statement): void;
}

/** Statements of one text, at most. */
const MAX_ALIKE = 4;
const MAX_TEXTS = 1_000;

function createPrepared(shared: Native): Prepared {
  const free = new Map<string, Statement[]>();
  return {
    take(text, database, isPragma, ...more) {
      const found = isPragma ? undefined : free.get(text)?.pop();
      return found ?? shared.prepare(text, database, isPragma, ...more);
    },
    giveBack(text, statement) {
      const alike = free.get(text) ?? [];
      if (statement.busy || alike.length >= MAX_ALIKE || free.size >= MAX_TEXTS) return;
      if (statement.reader) statement.raw(false).pluck(false);
      alike.push(statement);
      free.set(text, alike);
    },
  };
}
