/**
 * Lets better-sqlite3 return rows where Node.js may not generate code from strings
 * (`NODE_OPTIONS=--disallow-code-generation-from-strings`), as the binding does for each statement. Imported by
 * whatever opens a database, in each thread.
 */
/* oxlint-disable typescript/unbound-method -- each is called on its database or statement */
import BetterSqlite3, { type Database, type Statement } from 'better-sqlite3';

export const generatesCode = mayGenerateCode();

if (!generatesCode) {
  const { prepare, pragma } = BetterSqlite3.prototype;
  BetterSqlite3.prototype.prepare = function (this: Database, text: string) {
    const statement = prepare.call(this, text);
    return statement.reader ? withOwnRows(statement) : statement;
  } as typeof prepare;
  // Every pragma in use returns one value at most.
  BetterSqlite3.prototype.pragma = function (this: Database, source: string) {
    return pragma.call(this, source, { simple: true });
  };
}

function mayGenerateCode(): boolean {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval, eslint/no-new-func -- no other way tells
    return typeof new Function() === 'function';
  } catch {
    return false;
  }
}

/** Reads rows as lists, of which it makes objects, until `raw` or `pluck` asks for another form. */
function withOwnRows(statement: Statement): Statement {
  const { all, get, iterate, raw, pluck } = statement;
  const row = (values: unknown): unknown =>
    Object.fromEntries(statement.columns().map(({ name }, at) => [name, (values as unknown[])[at]]));
  function inForm(form: typeof raw): () => Statement {
    return () => {
      Object.assign(statement, { all, get, iterate });
      return form.call(statement);
    };
  }
  raw.call(statement);
  return Object.assign(statement, {
    all: (...parameters: unknown[]) => all.apply(statement, parameters).map(row),
    get(...parameters: unknown[]) {
      const values = get.apply(statement, parameters);
      return values === undefined ? undefined : row(values);
    },
    *iterate(...parameters: unknown[]) {
      for (const values of iterate.apply(statement, parameters)) yield row(values);
    },
    raw: inForm(raw),
    pluck: inForm(pluck),
  });
}
