import { families } from '../compare/families.mjs';
import { columns } from './columns.mjs';

/** Most differences that are listed. */
const MAX_LISTED = 50;

/**
 * @typedef {object} Figures
 * @property {{ readonly done: number, readonly refused: number, readonly interrupted: number }} errands
 * @property {number} changes
 * @property {number} undeliverable webhooks that the service gave up
 * @property {import('../world/wire.mjs').WireCounts} wire
 * @property {any} statistics of the receiver
 * @property {{ readonly taken: number, readonly failed: number, readonly again: number }} application
 */

/**
 * What went on, from the office to the application.
 *
 * @param {Figures} figures
 */
export function flowText({ errands, changes, undeliverable, wire, statistics, application }) {
  const { events, repeats, by_verdict, quarantine_held, deliveries, by_handler, anomalies } = statistics;
  const forwarded = by_handler.find((/** @type {any} */ { handler }) => handler === 'forward');
  return columns([
    [
      'office',
      'errands done',
      errands.done,
      `${errands.refused} refused, ${errands.interrupted} cut short and repeated`,
    ],
    ['service', 'records changed', changes, ''],
    ['', 'webhooks given up', undeliverable, ''],
    ['wire', 'webhooks sent', wire.sent, `${wire.unanswered} found nobody there`],
    ['', 'duplicated', wire.duplicated, 'with the id of one that was taken'],
    ['', 'signed anew', wire.resigned, 'the same again, with an id of its own'],
    ['', 'reordered', wire.reordered, 'after a later one of their record'],
    ['', 'truncated', wire.truncated, ''],
    ['', 'resent', wire.resent, 'after a try that failed'],
    ['receiver', 'received', events, ''],
    ['', 'duplicates recognised', repeats, ''],
    ['', 'stale', by_verdict.stale, 'older than what was known'],
    ['', 'quarantined', quarantine_held, ''],
    ['', 'handled', deliveries.succeeded, 'by machines and handlers'],
    ['', 'forwarded', forwarded?.succeeded ?? 0, ''],
    ['', 'dead', deliveries.dead, ''],
    ['', 'anomalies', anomalies, 'moves that a machine did not expect'],
    [
      'application',
      'taken',
      application.taken,
      `${application.failed} answered 500, ${application.again} came again`,
    ],
  ]);
}

/** @typedef {import('../compare/compare-subject.mjs').Comparison} Comparison */

const standings = /** @type {const} */ ([
  'equal',
  'silenced',
  'withheld',
  'removed',
  'overtaken',
  'different',
]);

/**
 * How the subjects of each family stand. Columns that would be empty are left out, but for the two that matter.
 *
 * @param {readonly Comparison[]} comparisons
 */
export function comparisonText(comparisons) {
  const shown = standings.filter(
    (name) =>
      name === 'equal' || name === 'different' || comparisons.some(({ standing }) => standing === name),
  );
  /** @param {readonly Comparison[]} of */
  const counts = (of) => shown.map((name) => of.filter(({ standing }) => standing === name).length);
  const rows = Object.entries(families).flatMap(([family, { title }]) => {
    const ours = comparisons.filter((each) => each.family === family);
    return ours.length === 0 ? [] : [[title, ours.length, ...counts(ours)]];
  });
  return columns([['', 'subjects', ...shown], ...rows, ['all', comparisons.length, ...counts(comparisons)]]);
}

/**
 * What the columns mean that are neither equal nor different, where they are not empty.
 *
 * @param {readonly Comparison[]} comparisons
 * @returns {readonly string[]}
 */
export function remarksOf(comparisons) {
  const lines = Object.entries(remarks)
    .filter(([name]) => comparisons.some(({ standing }) => standing === name))
    .map(([name, text]) => `${name}: ${text}`);
  return lines.length > 0 ? [...lines, ''] : [];
}

const remarks = {
  silenced: 'went on while the link of its user was inactive, when nothing is told',
  withheld: 'of a user whose link is inactive: the service shows it to nobody',
  removed: 'with its user, of which nothing tells',
  overtaken: 'an older state came last; the family has no version that could tell, and the newer is stored',
};

/**
 * @param {readonly Comparison[]} comparisons
 * @param {number} seconds that it all took
 */
export function differencesText(comparisons, seconds) {
  const differences = comparisons.filter(({ standing }) => standing === 'different');
  const listed = differences.slice(0, MAX_LISTED).map(({ subject, reason }) => `  ${subject}: ${reason}`);
  const rest = differences.length - listed.length;
  return [
    `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}, after ${seconds} s`,
    ...listed,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ].join('\n');
}
