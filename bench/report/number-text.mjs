/**
 * Formats a number with three significant digits and thousands separators.
 *
 * @param {number} value
 */
export function numberText(value) {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
