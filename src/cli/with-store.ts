import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { PortariaError } from '../kernel/errors.ts';
import { openSqliteStore } from '../store/sqlite/open-sqlite-store.ts';
import type { Store } from '../store/store.ts';
import type { Session } from './session.ts';
import { write } from './terminal/text-output.ts';

/**
 * Opens the store beside a running `serve` for as long as `use` takes. A
 * command that reads never makes a database: an empty one in the wrong folder
 * would only hide the mistake.
 *
 * @throws PortariaError `not-found` when there is no database.
 */
export async function withStore<T>(
  session: Session,
  use: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  requireDatabase(session.config());
  return withNewStore(session, use);
}

/** As {@link withStore}, and makes the database when there is none: for what brings events along. */
export async function withNewStore<T>(
  session: Session,
  use: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const config = session.config();
  const { clock } = session.terminal;
  const { database: path, maxQuarantineBytes } = config;
  const store = await openSqliteStore({
    path,
    role: 'guest',
    maxQuarantineBytes,
    clock,
    onWarning: warn(session),
  });
  try {
    return await use(store, config);
  } finally {
    await store.close();
  }
}

/** A warning beside the answer, which it never delays. */
function warn({ terminal }: Session): (warning: string) => void {
  return (warning) => {
    write(terminal.err, `warning: ${warning}\n`);
  };
}

/** @throws PortariaError `not-found` with what to do. */
function requireDatabase({ database }: Config): void {
  if (existsSync(database)) return;
  throw new PortariaError('not-found', `There is no database at ${database}`, {
    problems: [
      {
        where: 'PORTARIA_DATABASE',
        message: 'start `portaria serve` once to make it, or name the right file here or with --database',
      },
    ],
  });
}
