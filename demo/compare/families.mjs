/**
 * @typedef {'company' | 'company-login' | 'user-login' | 'console-user' | 'traffic-violation'
 *   | 'traffic-violation-ticket' | 'traffic-violation-indication' | 'antt-violation' | 'antt-violation-ticket'
 *   | 'charge' | 'charge-payment-slip'} Family
 *
 * @typedef {Readonly<Record<string, any>>} Data
 *
 * @typedef {object} FamilyRules
 * @property {string} title
 * @property {string | null} machine the one that follows the family
 * @property {boolean} isOrdered whether its webhooks have a version
 * @property {((record: Data) => Data) | null} comparable the part that both sides must agree on; null if only the
 *   machine's state is compared
 */

/** Changes of a referenced record have webhooks of their own. @param {Data | null} record */
const onlyId = (record) => (record == null ? null : { id: record['id'] });

/** @param {Data} record */
const whole = (record) => record;

/** @type {Readonly<Record<Family, FamilyRules>>} */
export const families = {
  company: {
    title: 'companies',
    machine: null,
    isOrdered: true,
    // The login has events of its own.
    comparable: ({ login, ...company }) => company,
  },
  'company-login': {
    title: 'company logins',
    machine: 'login-attempt',
    isOrdered: true,
    comparable: null,
  },
  'user-login': { title: 'user logins', machine: 'login-attempt', isOrdered: true, comparable: null },
  'console-user': { title: 'console users', machine: null, isOrdered: true, comparable: whole },
  'traffic-violation': {
    title: 'traffic violations',
    machine: null,
    isOrdered: false,
    comparable: ({ company, user, ...violation }) => ({
      ...violation,
      company: onlyId(company),
      user: onlyId(user),
    }),
  },
  'traffic-violation-ticket': {
    title: 'traffic violation slips',
    machine: 'payment-slip',
    isOrdered: true,
    comparable: whole,
  },
  'traffic-violation-indication': {
    title: 'driver indications',
    machine: 'indication-document',
    isOrdered: true,
    comparable: whole,
  },
  'antt-violation': {
    title: 'ANTT violations',
    machine: null,
    isOrdered: true,
    comparable: ({ company, ...violation }) => ({ ...violation, company: onlyId(company) }),
  },
  'antt-violation-ticket': {
    title: 'ANTT violation slips',
    machine: 'payment-slip',
    isOrdered: true,
    comparable: whole,
  },
  charge: {
    title: 'charges',
    machine: null,
    isOrdered: false,
    comparable: ({ company, ...charge }) => ({ ...charge, company: onlyId(company) }),
  },
  'charge-payment-slip': {
    title: 'charge slips',
    machine: 'payment-slip',
    isOrdered: true,
    comparable: ({ charge: { company, ...charge }, ...slip }) => ({
      ...slip,
      charge: { ...charge, company: onlyId(company) },
    }),
  },
};

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
