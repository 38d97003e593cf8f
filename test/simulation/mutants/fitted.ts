/** Finds where the change of a patch belongs, by its own lines: what is around it may have changed since. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Fitted {
  readonly path: string;
  /** The text of the file before, and after; null where the lines stand nowhere, or twice. */
  readonly from: string;
  readonly to: string | null;
}

export function fitted(patch: string, root: string): Fitted {
  const path = /^--- a\/(.*)$/mu.exec(patch)?.[1] ?? '';
  const from = readFileSync(join(root, path), 'utf8');
  const lines = patch
    .slice(patch.indexOf('\n@@'))
    .split('\n')
    .slice(2)
    .filter((line) => /^[-+ ]/u.test(line));
  const first = lines.findIndex((line) => !line.startsWith(' '));
  const last = lines.findLastIndex((line) => !line.startsWith(' '));
  for (let around = 0; around <= 3; around += 1) {
    const hunk = lines.slice(Math.max(0, first - around), last + 1 + around);
    const without = (sign: string): readonly string[] =>
      hunk.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1));
    const before = without('+');
    const parts = from.split(asText(before));
    if (before.length > 0 && parts.length === 2) return { path, from, to: parts.join(asText(without('-'))) };
  }
  return { path, from, to: null };
}

function asText(lines: readonly string[]): string {
  return ['', ...lines, ''].join('\n');
}
