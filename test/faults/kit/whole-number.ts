/**
 * Reads a whole number from an environment variable, such as FAULTS_ROUNDS.
 *
 * @throws Error for anything else: a typing error must not become a run of zero rounds.
 */
export function wholeNumber(variable: string, fallback: number): number {
  const text = process.env[variable];
  if (text === undefined) return fallback;
  if (!/^\d+$/.test(text)) throw new Error(`${variable} is not a whole number: ${text}`);
  return Number(text);
}
