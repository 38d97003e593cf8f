import { readFileSync } from 'node:fs';

const page = readFileSync(new URL('../../docs/internals/privacy.md', import.meta.url), 'utf8');

/** Names as `table.column`. */
interface Documented {
  readonly erased: readonly string[];
  readonly other: readonly string[];
}

/**
 * Reads a table of docs/internals/privacy.md.
 *
 * @param marker of the comments around it
 */
export function documentedColumns(marker = 'columns'): Documented {
  const [, table = ''] = new RegExp(`<!-- ${marker} -->\\n([^]*?)<!-- /${marker} -->`).exec(page) ?? [];
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)));
  const names = (at: number) =>
    rows.flatMap((row) => row[at]!.map((name) => `${row[1]![0]!}.${name}`)).toSorted();
  return { erased: names(2), other: names(3) };
}
