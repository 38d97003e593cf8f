import { numberText } from './number-text.mjs';
import { spread } from './spread.mjs';

const HEAD = ['what', 'min', 'median', 'max', 'aim', ''];

/**
 * The rows as a Markdown table, followed by notes and by incomplete and skipped rows.
 *
 * @param {readonly import('./results.mjs').Row[]} rows
 */
export function tableText(rows) {
  const measured = rows.filter(({ samples }) => samples.length > 0);
  const skipped = rows.filter(({ samples }) => samples.length === 0);
  const lines = layOut([HEAD, ...measured.map(cells)]);
  const notes = measured.flatMap(({ what, notes }) => notes.map((note) => `- ${what}: ${note}`));
  const short = measured
    .filter(({ skipped: why }) => why !== undefined)
    .map(({ what, samples, skipped: why }) => `- ${what}: ${why}; rounds: ${samples.length}`);
  const gaps = skipped.map(({ what, skipped: why }) => `- ${what}: ${why ?? 'not measured'}`);
  return [
    ...(measured.length > 0 ? lines : ['Nothing was measured.']),
    ...(notes.length > 0 ? ['', 'Behind the rows (medians):', ...notes] : []),
    ...(short.length > 0 ? ['', 'Incomplete:', ...short] : []),
    ...(gaps.length > 0 ? ['', 'Skipped:', ...gaps] : []),
  ].join('\n');
}

/** @param {import('./results.mjs').Row} row */
function cells({ what, samples, aim, unit = '' }) {
  const { min, median, max } = spread(samples);
  const inUnit = unit === '' ? '' : ` ${unit}`;
  const measured = [what, ...[min, median, max].map((value) => numberText(value) + inUnit)];
  if (aim === undefined) return [...measured, '', ''];
  const [sign, limit, met] =
    'min' in aim ? ['>=', aim.min, median >= aim.min] : ['<=', aim.max, median <= aim.max];
  return [...measured, `${sign} ${limit.toLocaleString('en')}${inUnit}`, met ? 'reached' : 'missed'];
}

/** @param {readonly (readonly string[])[]} table */
function layOut(table) {
  const widths = HEAD.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length)));
  const line = (/** @type {readonly string[]} */ row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const [head = [], ...rest] = table.map(line);
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [head, rule, ...rest];
}
