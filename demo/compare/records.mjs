import { ClientError } from 'portaria/client';
import { inParallel } from './in-parallel.mjs';

/** @typedef {Readonly<Record<string, any>>} Data */

/**
 * The provider's records, read through its API.
 *
 * @typedef {object} Records
 * @property {ReadonlyMap<string, Data>} bySubject logins under the record that they belong to
 * @property {ReadonlyMap<string, number>} owners the user that owns a record, by subject
 * @property {ReadonlySet<number>} inactive users whose link is inactive
 * @property {(subject: string) => Promise<'removed' | 'withheld' | 'there'>} why the reason why a record is missing
 */

/**
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @param {ReadonlyMap<number, number>} violationsOfIndications
 * @returns {Promise<Records>}
 */
export async function readRecords({ client, workspace }, violationsOfIndications) {
  /** @type {Map<string, Data>} */
  const bySubject = new Map();
  /** @type {Map<string, number>} */
  const owners = new Map();
  const inactive = new Set();
  /**
   * @param {string} family
   * @param {AsyncIterable<Data>} records
   * @param {(record: Data, subject: string) => void} [note]
   */
  async function take(family, records, note) {
    for await (const record of records) {
      const subject = `${family}:${record['id']}`;
      bySubject.set(subject, record);
      note?.(record, subject);
    }
  }
  await take('company', client.companies.all(), ({ id, login }) => {
    bySubject.set(`company-login:${id}`, login);
  });
  await take('user', client.users.all(), ({ id, login, status }) => {
    bySubject.set(`user-login:${id}`, login);
    owners.set(`user-login:${id}`, id);
    if (status === 'inactive') inactive.add(id);
  });
  await take('console-user', client.consoleUsers.all());
  await take('traffic-violation', client.trafficViolations.all(), ({ user }, subject) => {
    if (user) owners.set(subject, user.id);
  });
  await take(
    'traffic-violation-ticket',
    client.trafficViolations.tickets.all(),
    ({ traffic_violation }, subject) => {
      const owner = owners.get(`traffic-violation:${traffic_violation.id}`);
      if (owner !== undefined) owners.set(subject, owner);
    },
  );
  await take('antt-violation', client.anttViolations.all());
  await take('antt-violation-ticket', client.anttViolations.tickets.all());
  await take('charge', client.charges.all());
  await take('charge-payment-slip', client.charges.paymentSlips.all());
  for (const [id, violation] of violationsOfIndications) {
    const owner = owners.get(`traffic-violation:${violation}`);
    if (owner !== undefined) owners.set(`traffic-violation-indication:${id}`, owner);
  }
  await inParallel([...new Set(violationsOfIndications.values())], workspace.signal, async (violation) => {
    if (inactive.has(owners.get(`traffic-violation:${violation}`))) return;
    for (const indication of await client.trafficViolations.indications.listOf(violation))
      bySubject.set(`traffic-violation-indication:${indication.id}`, indication);
  });
  return { bySubject, owners, inactive, why };

  /** @type {Records['why']} */
  async function why(subject) {
    const [family, id = ''] = subject.split(':');
    try {
      await readOne(family, id);
      return 'there';
    } catch (error) {
      if (ClientError.is(error, 'not-found')) return 'removed';
      if (ClientError.is(error, 'forbidden')) return 'withheld';
      throw error;
    }
  }

  /**
   * @param {string | undefined} family
   * @param {string} id
   */
  function readOne(family, id) {
    const number = Number(id);
    switch (family) {
      case 'company':
      case 'company-login':
        return client.companies.read(number);
      case 'user-login':
        return client.users.read(number);
      case 'console-user':
        return client.consoleUsers.read(id);
      case 'traffic-violation':
        return client.trafficViolations.read(number);
      case 'traffic-violation-ticket':
        return client.trafficViolations.tickets.read(number);
      case 'traffic-violation-indication':
        return client.trafficViolations.indications.read(violationsOfIndications.get(number) ?? 0, number);
      case 'antt-violation':
        return client.anttViolations.read(number);
      case 'antt-violation-ticket':
        return client.anttViolations.tickets.read(number);
      case 'charge':
        return client.charges.read(number);
      default:
        throw new Error(`no record is read for ${String(family)}`);
    }
  }
}
