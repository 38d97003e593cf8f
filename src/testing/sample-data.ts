import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataOf, EventKind } from '../contract/catalogue.ts';
import { packageRoot } from '../kernel/files/package-files.ts';

/** Invented data that fits the contract, every documented field present: the package's fixture of the kind. */
export function sampleData<K extends EventKind>(kind: K): DataOf<K> {
  const file = join(packageRoot(), 'fixtures', 'events', `${kind}.json`);
  const envelope = JSON.parse(readFileSync(file, 'utf8')) as { data: DataOf<K> };
  return envelope.data;
}
