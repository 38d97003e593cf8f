/** Notices changes of the code in a folder. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Cancel, Clock } from '../../../kernel/time/clock.ts';

/** Milliseconds between two looks. A change is complete when the next look finds no other: git writes several files. */
const LOOK_MS = 200;

/** When each file was written, by its path. A folder has null. */
type Code = Map<string, number | null>;

export interface CodeWatch {
  /** The file that was written last. */
  readonly newest: () => string | undefined;
  readonly close: () => void;
}

/**
 * Calls back with the paths of each change. It looks at the times of files: the watches of Node.js lose a file that an
 * editor replaces, and see nothing of a mounted folder.
 */
export function watchCode(
  folder: string,
  clock: Clock,
  onChange: (paths: readonly string[]) => void,
): CodeWatch {
  const changed = new Set<string>();
  let code = lookAt(folder);
  let cancel: Cancel = clock.after(LOOK_MS, look);
  function look(): void {
    const before = code;
    code = lookAt(folder);
    const paths = new Set([...before.keys(), ...code.keys()]);
    const differing = [...paths].filter((path) => before.get(path) !== code.get(path));
    for (const path of differing) changed.add(path);
    if (differing.length === 0 && changed.size > 0) {
      onChange([...changed]);
      changed.clear();
    }
    cancel = clock.after(LOOK_MS, look);
  }
  return {
    newest: () => [...code].toSorted(([, one], [, other]) => (other ?? 0) - (one ?? 0))[0]?.[0],
    close: () => {
      cancel();
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
