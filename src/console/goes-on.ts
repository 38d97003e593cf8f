/** Whether what came several times, a failure or a webhook, goes on. */

/** Milliseconds without another one after which what came several times is over: at least, and at most. */
const QUIET_MS = { least: 30_000, most: 3_600_000 };

/** Whether what came several times goes on: three times as long as usual have not passed without another one. */
export function goesOn(
  { times, firstAt, lastAt }: { readonly times: number; readonly firstAt: number; readonly lastAt: number },
  now: number,
): boolean {
  const usualMs = (lastAt - firstAt) / (times - 1);
  return times > 1 && now - lastAt < Math.min(Math.max(3 * usualMs, QUIET_MS.least), QUIET_MS.most);
}
