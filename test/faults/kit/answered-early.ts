import { isSync, type SystemCall } from './system-calls.ts';

/** The system calls that tell when an answer left, and whether its webhook was on the disk by then. */
export const TELLING_CALLS = 'trace=pwrite64,pwritev,fsync,fdatasync,write,writev,sendto,sendmsg';

/** A webhook and its answer, by what only they have in them. */
export interface Answered {
  readonly token: string;
  readonly answer: string;
}

/** For the charges of `webhooks.ts`. */
export function answeredCharges(acknowledged: ReadonlyMap<string, string>): readonly Answered[] {
  return [...acknowledged].map(([body, id]) => {
    const { code } = (JSON.parse(body) as { data: { code: string } }).data;
    return { token: `"code":"${code}"`, answer: `"id":"${id}"` };
  });
}

/**
 * Those whose answer did not leave after a successful sync of `log` that began
 * when their bytes had been written to it.
 */
export function answeredEarly(
  answered: readonly Answered[],
  trace: readonly SystemCall[],
  log: string,
): readonly Answered[] {
  const toLog = trace.filter(({ name, file }) => name.startsWith('pwrite') && file === log);
  const syncs = trace.filter((call) => isSync(call) && call.file === log && call.result === 0);
  const answers = trace.filter(({ file, text }) => file.startsWith('socket:') && text.includes('HTTP/1.1 '));
  return answered.filter(({ token, answer }) => {
    const written = toLog.find(({ text }) => text.includes(inStrace(token)))?.endedAt ?? Infinity;
    const synced = syncs.find(({ startedAt }) => startedAt > written)?.endedAt ?? Infinity;
    const left = answers.find(({ text }) => text.includes(inStrace(answer)))?.startedAt ?? -1;
    return !(written < synced && synced < left);
  });
}

function inStrace(text: string): string {
  return text.replaceAll('"', String.raw`\"`);
}
