import { families } from '../compare/families.mjs';
import { columns } from './columns.mjs';

/** Further differences are counted only. */
const MAX_LISTED = 50;

/**
 * @typedef {object} Figures
 * @property {{ readonly done: number, readonly rejected: number, readonly interrupted: number }} errands
 * @property {number} changes
 * @property {number} lost webhooks that the provider never sent
 * @property {number} undeliverable webhooks that the provider gave up
 * @property {readonly import('../day/outages.mjs').Outage[]} outages
 * @property {import('../environment/counting-proxy.mjs').ProxyCounts} proxy
 * @property {readonly number[]} takenBy webhooks that each receiver has accepted
 * @property {any} statistics the receiver's
 * @property {{ readonly taken: number, readonly failed: number, readonly again: number }} application
 */

/**
 * The figures of the day, from the office to the application.
 *
 * @param {Figures} figures
 */
export function flowText({
  errands,
  changes,
  lost,
  undeliverable,
  outages,
  proxy,
  takenBy,
  statistics,
  application,
}) {
  const { events, repeats, by_verdict, quarantine_held, deliveries, by_handler, anomalies } = statistics;
  const forwarded = by_handler.find((/** @type {any} */ { handler }) => handler === 'forward');
  return columns([
    [
      'office',
      'errands done',
      errands.done,
      `${errands.rejected} rejected, ${errands.interrupted} interrupted and repeated`,
    ],
    ['provider', 'records changed', changes, ''],
    ['', 'webhooks never sent', lost, ''],
    ['', 'webhooks given up', undeliverable, 'no receiver responded'],
    ['network', 'webhooks sent', proxy.sent, `${proxy.unanswered} while no receiver responded`],
    ['', 'duplicated', proxy.duplicated, 'with the id of an accepted one'],
    ['', 'signed again', proxy.resigned, 'the same content with a new id'],
    ['', 'reordered', proxy.reordered, 'after a later one of the same record'],
    ['', 'truncated', proxy.truncated, 'rejected with 401: the signature does not match; sent whole later'],
    ['', 'resent', proxy.resent, 'after a failed attempt'],
    ...balancerRows(proxy, takenBy),
    [takenBy.length === 1 ? 'receiver' : 'receivers', 'received', events, ''],
    ['', 'duplicates recognised', repeats, ''],
    ['', 'stale', by_verdict.stale, 'older than a stored event'],
    ['', 'quarantined', quarantine_held, 'verified and unreadable; a truncated one is not verified'],
    ['', 'handled', deliveries.succeeded, 'by machines and handlers'],
    ['', 'forwarded', forwarded?.succeeded ?? 0, ''],
    ['', 'dead', deliveries.dead, ''],
    [
      '',
      'anomalies',
      anomalies,
      'moves that a machine calls impossible; its state follows the provider all the same',
    ],
    [
      'application',
      'received',
      application.taken,
      `${application.failed} rejected with 500, ${application.again} received again`,
    ],
    ...outages.map(({ what, to }, at) => [at === 0 ? 'outages' : '', what, 1, to]),
  ]);
}

/**
 * @param {import('../environment/counting-proxy.mjs').ProxyCounts} proxy
 * @param {readonly number[]} takenBy
 */
function balancerRows({ passedOn }, takenBy) {
  if (takenBy.length === 1) return [];
  return [
    ['balancer', 'passed on', passedOn, 'to another receiver, because one did not respond'],
    ...takenBy.map((count, at) => ['', `to receiver ${at + 1}`, count, 'accepted']),
  ];
}

/** @typedef {import('../compare/compare-subject.mjs').Comparison} Comparison */

const outcomes = /** @type {const} */ ([
  'equal',
  'lost',
  'unchecked',
  'unsent',
  'silenced',
  'withheld',
  'removed',
  'disordered',
  'different',
]);

/**
 * The outcomes of each family. Empty columns are left out, except `equal` and `different`.
 *
 * @param {readonly Comparison[]} comparisons
 */
export function comparisonText(comparisons) {
  const shown = outcomes.filter(
    (name) => name === 'equal' || name === 'different' || comparisons.some(({ outcome }) => outcome === name),
  );
  /** @param {readonly Comparison[]} of */
  const counts = (of) => shown.map((name) => of.filter(({ outcome }) => outcome === name).length);
  const rows = Object.entries(families).flatMap(([family, { title }]) => {
    const ours = comparisons.filter((each) => each.family === family);
    return ours.length === 0 ? [] : [[title, ours.length, ...counts(ours)]];
  });
  return columns([['', 'subjects', ...shown], ...rows, ['all', comparisons.length, ...counts(comparisons)]]);
}

/**
 * Explains the columns other than `equal` and `different` that are not empty.
 *
 * @param {readonly Comparison[]} comparisons
 * @returns {readonly string[]}
 */
export function explanationsOf(comparisons) {
  const lines = Object.entries(explanations)
    .filter(([name]) => comparisons.some(({ outcome }) => outcome === name))
    .map(([name, text]) => `${name}: ${text}`);
  return lines.length > 0 ? [...lines, ''] : [];
}

const explanations = {
  lost: 'missed or behind, because the provider never sent webhooks of it, or gave them up',
  unchecked: 'webhooks of it are lost, and the API has no list of its records',
  unsent: 'older than the receiver, so no webhook of it was sent',
  silenced: 'changed while the link of its user was inactive, when no webhooks are sent',
  withheld: 'belongs to a user whose link is inactive: the provider does not show it',
  removed: 'removed with its user, for which no webhook is sent',
  disordered: 'an older state arrived last; the family has no version, and the newer one is stored',
};

/** Outcomes that a repair ends. */
const repairable = ['lost', 'unsent', 'silenced', 'disordered'];

/**
 * @param {readonly Comparison[]} comparisons
 * @param {boolean} isRepaired whether nothing is left that a repair ends
 */
export function differencesOf(comparisons, isRepaired) {
  return comparisons.filter(
    ({ outcome }) => outcome === 'different' || (isRepaired && repairable.includes(outcome)),
  );
}

/**
 * @param {readonly Comparison[]} comparisons
 * @param {number} seconds the duration of the demo
 * @param {boolean} isRepaired
 */
export function differencesText(comparisons, seconds, isRepaired) {
  const differences = differencesOf(comparisons, isRepaired);
  const listed = differences
    .slice(0, MAX_LISTED)
    .map(({ subject, outcome, reason }) => `  ${subject}: ${reason ?? outcome}`);
  const rest = differences.length - listed.length;
  return [
    `${differences.length} ${differences.length === 1 ? 'difference' : 'differences'}, after ${seconds} s`,
    ...listed,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ].join('\n');
}
