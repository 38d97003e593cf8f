/** Processor time, which other processes of a busy machine do not lengthen. */

/** Starts a measurement. The function returned gives the milliseconds that this process has computed since. */
export function startCpuTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
}
