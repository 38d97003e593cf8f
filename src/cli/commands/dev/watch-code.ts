/** Notices changes of the code in a folder. */
import { existsSync, readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Cancel, Clock } from '../../../kernel/time/clock.ts';

/** A change is complete when nothing more has changed for so long: editors and git write several files. */
const QUIET_MS = 100;

/** When each file was written, by its path. A folder has null. */
type Code = Map<string, number | null>;

export interface CodeWatch {
  /** The file that was written last. */
  readonly newest: () => string | undefined;
  readonly close: () => void;
}

/**
 * Calls back with the paths of each change. Folders are watched one by one: on Linux, the recursive watch of Node.js
 * loses a file that an editor replaces.
 */
export function watchCode(
  folder: string,
  clock: Clock,
  onChange: (paths: readonly string[]) => void,
): CodeWatch {
  const changed = new Set<string>();
  let code = lookAt(folder);
  let cancel: Cancel | undefined;
  let watchers: readonly FSWatcher[] = [];
  const lookSoon = (): void => {
    cancel ??= clock.after(QUIET_MS, look);
  };
  const watchFolder = (path: string, listener: (event: string, name: string | null) => void) => {
    try {
      return [watch(path, listener).on('error', lookSoon)];
    } catch (error) {
      if (existsSync(path)) throw error;
      return [];
    }
  };
  const watchAgain = (): void => {
    const before = watchers;
    // A folder that is gone comes back under its name in the folder above.
    const above = watchFolder(dirname(folder), (_, name) => name === basename(folder) && lookSoon());
    const folders = [...code].flatMap(([path, at]) => (at === null ? watchFolder(path, lookSoon) : []));
    watchers = [...above, ...folders];
    for (const watcher of before) watcher.close();
  };
  const look = (): void => {
    cancel = undefined;
    const before = code;
    code = lookAt(folder);
    const paths = new Set([...before.keys(), ...code.keys()]);
    const differing = [...paths].filter((path) => before.get(path) !== code.get(path));
    for (const path of differing) changed.add(path);
    if (differing.length > 0) {
      watchAgain();
      lookSoon();
    } else if (changed.size > 0) {
      onChange([...changed]);
      changed.clear();
    }
  };
  watchAgain();
  return {
    newest: () => [...code].toSorted(([, one], [, other]) => (other ?? 0) - (one ?? 0))[0]?.[0],
    close() {
      cancel?.();
      for (const watcher of watchers) watcher.close();
    },
  };
}

function lookAt(folder: string, code: Code = new Map()): Code {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    code.set(folder, null);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) lookAt(path, code);
      else if (/\.(?:[cm]?[jt]sx?|json)$/.test(entry.name)) code.set(path, statSync(path).mtimeMs);
    }
  } catch {
    // A file or folder may go meanwhile; that is a change, and is looked at again.
  }
  return code;
}
