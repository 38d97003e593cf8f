import { isDeepStrictEqual } from 'node:util';

/** What went wrong in lanes, by the lines that handlers and the test recorded. */
export interface LaneFaults {
  /** Attempts that began while another one of the same lane was running. */
  readonly overlaps: readonly string[];
  /** Attempts that began after one of a later event of the same lane. */
  readonly inversions: readonly string[];
}

/**
 * Reads these lines in the order of their times, not of the file: a process that is stopped before it writes a line
 * writes it later.
 *
 *     begin <pid> <subject>-<number> <time>
 *     end <pid> <subject>-<number> <time> <how>
 *     killed <pid> - <time>
 *     stopped <pid> - <time>
 *     continued <pid> - <time>
 *
 * A killed process runs nothing any more. What a stopped one had begun may end later: the store ignores its outcome. The
 * test takes its lease away before its own clock can tell, so what it had claimed may begin, too, until it knows: it has
 * continued then, and what it begins counts.
 */
export function lanesOf(lines: readonly string[]): LaneFaults {
  const running = new Map<string, { readonly pid: string; readonly code: string }>();
  const latest = new Map<string, number>();
  const stopped = new Set<string>();
  const overlaps: string[] = [];
  const inversions: string[] = [];
  /** What the test did last, so that a fault names its likely cause. */
  let lastNote = 'the start';

  function begin(pid: string, code: string): void {
    const [subject = '', number = ''] = code.split('-');
    const other = running.get(subject);
    if (other !== undefined)
      overlaps.push(`${code} of ${pid} beside ${other.code} of ${other.pid}, after ${lastNote}`);
    if (Number(number) < (latest.get(subject) ?? 0))
      inversions.push(`${code} of ${pid} after ${String(latest.get(subject))}, after ${lastNote}`);
    running.set(subject, { pid, code });
    latest.set(subject, Math.max(latest.get(subject) ?? 0, Number(number)));
  }

  const timeOf = (line: string): number => Number(line.split(' ')[3]);
  const ofLanes = lines.filter((line) => /^(?:begin|end|killed|stopped|continued) /u.test(line));
  for (const line of ofLanes.toSorted((one, other) => timeOf(one) - timeOf(other))) {
    const [what, pid = '', code = ''] = line.split(' ');
    const subject = code.split('-')[0] ?? '';
    if (stopped.has(pid) && what !== 'continued' && what !== 'killed') continue;
    if (what === 'begin') begin(pid, code);
    else if (what === 'end' && isDeepStrictEqual(running.get(subject), { pid, code }))
      running.delete(subject);
    else if (what === 'continued') stopped.delete(pid);
    else if (what === 'killed' || what === 'stopped') {
      lastNote = line;
      if (what === 'stopped') stopped.add(pid);
      for (const [lane, one] of running) if (one.pid === pid) running.delete(lane);
    }
  }
  return { overlaps, inversions };
}
