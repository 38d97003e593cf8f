import { join } from 'node:path';
import type { Workspace } from '../../../support/workspace.ts';
import { preloaded } from '../programs/preloaded.ts';

/**
 * Settings for a process whose databases cannot grow above `pages` pages (SQLite's `max_page_count`)
 * until the gate `room` is open. A preloaded module sets the limit: Portaria has no such setting.
 */
export function pageLimit(workspace: Workspace, pages: number): Readonly<Record<string, string>> {
  return preloaded(
    workspace,
    'page-limit',
    `
import { existsSync } from 'node:fs';
import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))};

const { pragma } = Database.prototype;
const limited = new Set();
Database.prototype.pragma = function (source, options) {
  const result = pragma.call(this, source, options);
  if (source === 'journal_mode = wal') {
    pragma.call(this, 'max_page_count = ${String(pages)}');
    limited.add(this);
  }
  return result;
};
setInterval(() => {
  if (!existsSync(${JSON.stringify(join(workspace.folder, 'room'))})) return;
  for (const database of limited) if (database.open) pragma.call(database, 'max_page_count = 1000000');
  limited.clear();
}, 20).unref();
`,
  );
}
