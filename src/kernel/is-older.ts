/**
 * Whether a version, such as `3.49.1`, comes before another; parts that one of them does not have are 0. By
 * numbers: comparing as text would load the tables of a language, 6 ms in each thread.
 */
export function isOlder(version: string, wanted: string): boolean {
  const have = version.split('.').map(Number);
  for (const [place, need] of wanted.split('.').map(Number).entries()) {
    const part = have[place] ?? 0;
    if (part !== need) return part < need;
  }
  return false;
}
