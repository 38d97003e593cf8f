import { isSync, type SystemCall } from '../disk/system-calls.ts';

/** The strace option for the system calls that write and sync the log and that send responses. */
export const RELEVANT_CALLS = 'trace=pwrite64,pwritev,fsync,fdatasync,write,writev,sendto,sendmsg';

/** A webhook and its response, each identified by a string that only it contains. */
export interface Exchange {
  readonly token: string;
  readonly response: string;
}

/** The exchanges of acknowledged charges of `webhooks.ts`. */
export function chargeExchanges(acknowledged: ReadonlyMap<string, string>): readonly Exchange[] {
  return [...acknowledged].map(([body, id]) => {
    const { code } = (JSON.parse(body) as { data: { code: string } }).data;
    return { token: `"code":"${code}"`, response: `"id":"${id}"` };
  });
}

/**
 * Returns the exchanges whose response was sent too early. A response may be sent only after a
 * successful sync of `log` that began after the webhook was written to it.
 */
export function respondedEarly(
  exchanges: readonly Exchange[],
  trace: readonly SystemCall[],
  log: string,
): readonly Exchange[] {
  const toLog = trace.filter(({ name, file }) => name.startsWith('pwrite') && file === log);
  const syncs = trace.filter((call) => isSync(call) && call.file === log && call.result === 0);
  const responses = trace.filter(
    ({ file, text }) => file.startsWith('socket:') && text.includes('HTTP/1.1 '),
  );
  return exchanges.filter(({ token, response }) => {
    const written = toLog.find(({ text }) => text.includes(inStrace(token)))?.endedAt ?? Infinity;
    const synced = syncs.find(({ startedAt }) => startedAt > written)?.endedAt ?? Infinity;
    const sent = responses.find(({ text }) => text.includes(inStrace(response)))?.startedAt ?? -1;
    return !(written < synced && synced < sent);
  });
}

function inStrace(text: string): string {
  return text.replaceAll('"', String.raw`\"`);
}
