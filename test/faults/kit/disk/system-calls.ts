/** One system call of a trace. Its times are line numbers of the trace. */
export interface SystemCall {
  readonly name: string;
  /** The arguments as strace prints them; `-y` adds the file of each descriptor. */
  readonly text: string;
  /** The file of the first descriptor; '' if there is none. */
  readonly file: string;
  /** -1 if the call failed. */
  readonly result: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** An strace command that writes to `file`. With -D the process stays a direct child, so signals and exit code reach it. */
export function strace(file: string, ...options: readonly string[]): readonly string[] {
  return ['strace', '-D', '-f', '-y', '-s', '6000', '-o', file, ...options];
}

const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/s;
const BEGUN = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/s;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/s;

/** Parses a trace of several threads (`strace -f -y`) into finished calls, ordered by start. */
export function parseTrace(trace: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const begun = new Map<string, { readonly text: string; readonly startedAt: number }>();
  for (const [at, line] of trace.split('\n').entries()) {
    const [, starting = '', started = '', text = ''] = BEGUN.exec(line) ?? [];
    if (starting !== '') begun.set(`${starting} ${started}`, { text, startedAt: at });
    const [, thread = '', name = '', rest = '', result = ''] = WHOLE.exec(line) ?? RESUMED.exec(line) ?? [];
    if (thread === '') continue;
    const before = line.includes(' resumed>') ? begun.get(`${thread} ${name}`) : undefined;
    const whole = (before?.text ?? '') + rest;
    calls.push({
      name,
      text: whole,
      file: /^\d+<([^>]*)>/.exec(whole)?.[1] ?? '',
      result: Number(result),
      startedAt: before?.startedAt ?? at,
      endedAt: at,
    });
  }
  return calls.toSorted((one, other) => one.startedAt - other.startedAt);
}

export const isSync = ({ name }: SystemCall): boolean => name === 'fsync' || name === 'fdatasync';
