/** What an erasure does in SQLite's own way: one transaction at a time writes, so there is nothing to lock. */
import type { ErasureParts } from '../../shared/privacy/erased-marks.ts';
import { nothingToDo } from '../sql/dialect.ts';
import { sqliteContents } from './content-tables.ts';
import type { Keyed } from './keyed-digest.ts';

export function createErasureParts(keyed: Keyed): ErasureParts {
  return {
    ...sqliteContents,
    lock: nothingToDo,
    // oxlint-disable-next-line require-yield -- the key is read at once
    *keyed() {
      return keyed;
    },
    // They are a generated column.
    storePhases: nothingToDo,
  };
}
