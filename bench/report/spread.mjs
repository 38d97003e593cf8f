/**
 * @param {readonly number[]} samples at least one
 * @returns {{ min: number, median: number, max: number }}
 */
export function spread(samples) {
  const sorted = [...samples].sort((one, other) => one - other);
  const middle = (sorted.length - 1) / 2;
  const [below = 0, above = 0] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]];
  return { min: sorted[0] ?? 0, median: (below + above) / 2, max: sorted.at(-1) ?? 0 };
}

/** @param {readonly number[]} samples */
export function median(samples) {
  return spread(samples).median;
}
