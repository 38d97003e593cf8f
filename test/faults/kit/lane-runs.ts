/** What went wrong in lanes, by the lines that handlers and the test recorded. */
export interface LaneFaults {
  /** Attempts that began while another one of the same lane was running. */
  readonly overlaps: readonly string[];
  /** Attempts that began after one of a later event of the same lane. */
  readonly inversions: readonly string[];
}

/**
 * Reads lines `begin <pid> <subject>-<number>`, `end <pid> <subject>-<number> …`, `killed <pid>` and `stopped <pid>`.
 * A killed process runs nothing any more. What a stopped one had begun may end later: the store ignores its outcome,
 * but what it begins then counts.
 */
export function lanesOf(lines: readonly string[]): LaneFaults {
  const running = new Map<string, { readonly pid: string; readonly code: string }>();
  const latest = new Map<string, number>();
  const overlaps: string[] = [];
  const inversions: string[] = [];

  function begin(pid: string, code: string): void {
    const [subject = '', number = ''] = code.split('-');
    const other = running.get(subject);
    if (other !== undefined) overlaps.push(`${code} of ${pid} beside ${other.code} of ${other.pid}`);
    if (Number(number) < (latest.get(subject) ?? 0))
      inversions.push(`${code} after ${String(latest.get(subject))}`);
    running.set(subject, { pid, code });
    latest.set(subject, Math.max(latest.get(subject) ?? 0, Number(number)));
  }

  for (const line of lines) {
    const [what, pid = '', code = ''] = line.split(' ');
    const subject = code.split('-')[0] ?? '';
    if (what === 'begin') begin(pid, code);
    else if (what === 'end' && running.get(subject)?.pid === pid) running.delete(subject);
    else if (what === 'killed' || what === 'stopped')
      for (const [lane, one] of running) if (one.pid === pid) running.delete(lane);
  }
  return { overlaps, inversions };
}
