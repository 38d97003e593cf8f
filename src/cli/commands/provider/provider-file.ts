import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Session } from '../../session.ts';

/** Where it lies unless `--database` says otherwise. */
export const DEFAULT_FILE = './data/service.db';

/** The service's file: never the receiver's, so PORTARIA_DATABASE does not count. */
export function providerFile(program: Command, { terminal }: Session): string {
  const { database = DEFAULT_FILE } = program.opts<{ database?: string }>();
  return database === ':memory:' ? database : resolve(terminal.cwd, database);
}
