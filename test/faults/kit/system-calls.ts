/** One system call of a trace. Places count the lines of the trace. */
export interface SystemCall {
  readonly name: string;
  /** Its arguments as strace shows them, with `-y` the files behind descriptors. */
  readonly text: string;
  /** The file that its first descriptor means; '' when it means none. */
  readonly file: string;
  /** -1 when it failed. */
  readonly result: number;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** strace, writing to `file`, with the process as its parent's own child: signals and exit reach the process. */
export function strace(file: string, ...options: readonly string[]): readonly string[] {
  return ['strace', '-D', '-f', '-y', '-s', '6000', '-o', file, ...options];
}

const WHOLE = /^(\d+) +(\w+)\((.*)\) += (-?\d+)/s;
const BEGUN = /^(\d+) +(\w+)\((.*) <unfinished \.\.\.>$/s;
const RESUMED = /^(\d+) +<\.\.\. (\w+) resumed>(.*)\) += (-?\d+)/s;

/** The finished calls of a trace of several threads (`strace -f -y`), by when they began. */
export function parseTrace(trace: string): readonly SystemCall[] {
  const calls: SystemCall[] = [];
  const begun = new Map<string, { readonly text: string; readonly startedAt: number }>();
  for (const [place, line] of trace.split('\n').entries()) {
    const [, starting = '', started = '', text = ''] = BEGUN.exec(line) ?? [];
    if (starting !== '') begun.set(`${starting} ${started}`, { text, startedAt: place });
    const [, thread = '', name = '', rest = '', result = ''] = WHOLE.exec(line) ?? RESUMED.exec(line) ?? [];
    if (thread === '') continue;
    const before = line.includes(' resumed>') ? begun.get(`${thread} ${name}`) : undefined;
    const whole = (before?.text ?? '') + rest;
    calls.push({
      name,
      text: whole,
      file: /^\d+<([^>]*)>/.exec(whole)?.[1] ?? '',
      result: Number(result),
      startedAt: before?.startedAt ?? place,
      endedAt: place,
    });
  }
  return calls.toSorted((one, other) => one.startedAt - other.startedAt);
}

export const isSync = ({ name }: SystemCall): boolean => name === 'fsync' || name === 'fdatasync';
