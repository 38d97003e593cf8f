import { readFileSync } from 'node:fs';
import type { DataOf, EventKind } from '../contract/catalogue.ts';

/** The sources lie one folder nearer to `fixtures/` than the compiled files. */
const folder = new URL(
  import.meta.url.endsWith('.ts') ? '../../fixtures/events/' : '../../../fixtures/events/',
  import.meta.url,
);

/** Invented data that fits the contract, every documented field present: the package's fixture of the kind. */
export function sampleData<K extends EventKind>(kind: K): DataOf<K> {
  const envelope = JSON.parse(readFileSync(new URL(`${kind}.json`, folder), 'utf8')) as { data: DataOf<K> };
  return envelope.data;
}
