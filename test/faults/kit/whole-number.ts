/**
 * A number of the environment, such as FAULTS_ROUNDS. A slip of the pen must not
 * become a run of no rounds, which finds nothing.
 */
export function wholeNumber(variable: string, otherwise: number): number {
  const text = process.env[variable];
  if (text === undefined) return otherwise;
  if (!/^\d+$/.test(text)) throw new Error(`${variable} is no whole number: ${text}`);
  return Number(text);
}
