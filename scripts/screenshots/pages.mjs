/**
 * The pictures of `docs/console`: one line for each page. A page is 1,280 pixels wide and light unless the line
 * says otherwise.
 *
 * @typedef {object} Picture
 * @property {string} name of the file, without `.webp`
 * @property {string} path of the page; `<event>` is the newest event of the charge with a failure
 * @property {number} [width]
 * @property {'light' | 'dark'} [scheme]
 */

/** @type {readonly Picture[]} */
export const pictures = [
  { name: 'overview', path: '/' },
  { name: 'overview-phone', path: '/', width: 390 },
  { name: 'live', path: '/live' },
  { name: 'events', path: '/events' },
  { name: 'event', path: '/events/<event>' },
  { name: 'event-dark', path: '/events/<event>', scheme: 'dark' },
  { name: 'subject', path: '/subjects/company:12' },
  { name: 'failures', path: '/failures' },
  { name: 'quarantine', path: '/quarantine' },
  { name: 'quarantined', path: '/quarantine/q1' },
  { name: 'handlers', path: '/handlers' },
  { name: 'handler', path: '/handlers/ledger' },
  { name: 'machines', path: '/machines' },
  { name: 'machine', path: '/machines/payment-slip' },
  { name: 'contract', path: '/contract' },
  { name: 'jobs', path: '/jobs' },
  { name: 'audit', path: '/audit' },
  { name: 'privacy', path: '/privacy' },
  { name: 'senders', path: '/senders' },
  { name: 'system', path: '/system' },
];

/** Bytes of a picture at most: they are in the repository. */
export const MAX_BYTES = 120_000;
