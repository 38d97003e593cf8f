/**
 * The slope of the least-squares line through the points.
 *
 * @param {readonly number[]} xs
 * @param {readonly number[]} ys as many as `xs`
 */
export function slope(xs, ys) {
  const [meanX, meanY] = [mean(xs), mean(ys)];
  let [both, square] = [0, 0];
  for (const [index, x] of xs.entries()) {
    both += (x - meanX) * ((ys[index] ?? 0) - meanY);
    square += (x - meanX) ** 2;
  }
  return square === 0 ? 0 : both / square;
}

/** @param {readonly number[]} numbers */
function mean(numbers) {
  return numbers.reduce((total, number) => total + number, 0) / numbers.length;
}
