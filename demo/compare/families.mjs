/**
 * @typedef {'company' | 'company-login' | 'user-login' | 'console-user' | 'traffic-violation'
 *   | 'traffic-violation-ticket' | 'traffic-violation-indication' | 'antt-violation' | 'antt-violation-ticket'
 *   | 'charge' | 'charge-payment-slip'} Family
 *
 * @typedef {object} FamilyRules
 * @property {string} title
 * @property {string | null} machine the one that follows the family
 * @property {boolean} isOrdered whether its webhooks have a version
 * @property {boolean} isListed whether the API has a list of its records
 */

/**
 * @param {string} title
 * @param {{ machine?: string, isOrdered?: boolean, isListed?: boolean }} [rules]
 * @returns {FamilyRules}
 */
const family = (title, { machine, isOrdered = true, isListed = true } = {}) => ({
  ...{ title, machine: machine ?? null, isOrdered, isListed },
});
const slips = { machine: 'payment-slip' };
const logins = { machine: 'login-attempt', isListed: false };

/** @type {Readonly<Record<Family, FamilyRules>>} */
export const families = {
  company: family('companies'),
  'company-login': family('company logins', logins),
  'user-login': family('user logins', logins),
  'console-user': family('console users'),
  'traffic-violation': family('traffic violations', { isOrdered: false }),
  'traffic-violation-ticket': family('traffic violation slips', slips),
  'traffic-violation-indication': family('driver indications', {
    machine: 'indication-document',
    isListed: false,
  }),
  'antt-violation': family('ANTT violations'),
  'antt-violation-ticket': family('ANTT violation slips', slips),
  charge: family('charges', { isOrdered: false }),
  'charge-payment-slip': family('charge slips', slips),
};

/** @param {string} subject `family:id` */
export function familyOfSubject(subject) {
  return /** @type {Family} */ (subject.slice(0, subject.indexOf(':')));
}

const ofKinds = /** @type {const} */ ([
  ['company.login.', 'company-login'],
  ['company.', 'company'],
  ['user.login.', 'user-login'],
  ['console-user.', 'console-user'],
  ['traffic-violation.ticket.', 'traffic-violation-ticket'],
  ['traffic-violation.indication.', 'traffic-violation-indication'],
  ['traffic-violation.', 'traffic-violation'],
  ['antt-violation.ticket.', 'antt-violation-ticket'],
  ['antt-violation.', 'antt-violation'],
  ['charge.payment-slip.', 'charge-payment-slip'],
  ['charge.', 'charge'],
]);

/**
 * @param {string} type the type of a webhook
 * @returns {Family}
 */
export function familyOf(type) {
  const found = ofKinds.find(([beginning]) => type.startsWith(beginning));
  if (found === undefined) throw new Error(`no family has webhooks of type ${type}`);
  return found[1];
}
