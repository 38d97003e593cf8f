/**
 * Formats rows as aligned columns: numbers to the right, strings to the left.
 *
 * @param {readonly (readonly (string | number)[])[]} rows with equally many cells
 * @returns {string}
 */
export function columns(rows) {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell)),
  );
  const widths = (texts[0] ?? []).map((_, at) => Math.max(...texts.map((row) => row[at]?.length ?? 0)));
  const isNumber = (rows.at(-1) ?? []).map((cell) => typeof cell === 'number');
  return texts
    .map((row) =>
      row
        .map((text, at) => (isNumber[at] ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
