import { keyedShare } from './keyed-share.mjs';
import { makeCertificate } from './make-certificate.mjs';
import { cnpjOf, cpfOf } from './tax-ids.mjs';

const HOUR = 60;
const PASSWORD = 'frota';
const NAMES = ['Ana Beatriz', 'Carlos', 'Daniela', 'Eduardo', 'Fernanda', 'João Pedro', 'Luiza', 'Rafael'];
const SURNAMES = ['Almeida', 'Barros', 'Cardoso', 'Nogueira', 'Pereira', 'Ribeiro', 'Souza', 'Teixeira'];
const PLACES = [
  'Campinas',
  'Joinville',
  'Londrina',
  'Uberlândia',
  'Chapecó',
  'Sorocaba',
  'Caxias',
  'Jundiaí',
];

/**
 * @typedef {object} OfficeParts
 * @property {import('portaria/client').Client} client
 * @property {import('../world/control.mjs').Control} control
 * @property {import('./errands.mjs').Errands} errands
 * @property {import('../options.mjs').DemoOptions} options
 * @property {number} dayStart milliseconds since 1970
 * @property {Set<number>} wereInactive users whose link was inactive at some time
 */

/**
 * Plans the day of a fleet's office: what its people do through the provider's
 * API. What they do with a record depends on the seed and the record.
 *
 * @param {OfficeParts} parts
 */
export function planOfficeDay(parts) {
  const { options } = parts;
  for (let number = 1; number <= Math.ceil(options.companies / 4); number += 1)
    planNewCompany(parts, `new ${number}`);
  for (let number = 1; number <= options.companies; number += 1) planNewUser(parts, `driver ${number}`);
  planCompanies(parts);
  planUsers(parts);
  planConsole(parts);
}

/**
 * @param {OfficeParts} parts
 * @param {string} key
 */
function planNewCompany({ client, errands, options: { seed } }, key) {
  const at = 0.5 * HOUR + keyedShare(seed, key) * HOUR;
  errands.plan(at, 'adds companies', () =>
    client.companies.create({
      name: `Transportes ${pick(PLACES, seed, `${key}: place`)} Ltda`,
      tax_id: cnpjOf(seed, key),
      external_uid: key.replaceAll(' ', '-'),
      login_username: cpfOf(seed, key),
    }),
  );
}

/**
 * @param {OfficeParts} parts
 * @param {string} key
 */
function planNewUser({ client, errands, options: { seed } }, key) {
  errands.plan(0.5 * HOUR + keyedShare(seed, key) * 2 * HOUR, 'adds drivers', () =>
    client.users.create({
      name: `${pick(NAMES, seed, key)} ${pick(SURNAMES, seed, `${key}: surname`)}`,
      tax_id: cpfOf(seed, key),
      external_uid: key.replaceAll(' ', '-'),
    }),
  );
}

/**
 * Most drivers stay as they are; the links of some are deactivated, of these some activated again, and a few
 * leave.
 *
 * @param {OfficeParts} parts
 */
function planUsers({ client, errands, options: { seed }, wereInactive }) {
  errands.plan(3 * HOUR, 'looks through its drivers', async () => {
    for await (const { id, status } of client.users.all()) {
      const chance = keyedShare(seed, `user ${id}`);
      const at = (3 + chance) * HOUR;
      if (status === 'inactive') wereInactive.add(id);
      if (status !== 'inactive' && chance < 0.25)
        errands.plan(at, 'deactivates links', () => {
          wereInactive.add(id);
          return client.users.deactivate(id);
        });
      if (chance < 0.15) errands.plan(at + 5 * HOUR, 'activates links', () => client.users.activate(id));
      if (chance > 0.5) errands.plan(at, 'signs up for SNE', () => client.users.signUpForSne(id));
      if (chance > 0.95) errands.plan(at + 6 * HOUR, 'removes drivers', () => client.users.remove(id));
    }
  });
}

/** @param {OfficeParts} parts */
function planCompanies({ client, errands, options: { seed }, dayStart }) {
  const certificate = makeCertificate({ now: dayStart, password: PASSWORD });
  errands.plan(3 * HOUR, 'looks through its companies', async () => {
    for await (const { id } of client.companies.all()) {
      const chance = keyedShare(seed, `company ${id}`);
      const at = (3 + chance) * HOUR;
      errands.plan(at, 'signs up for SNE', () => client.companies.signUpForSne(id));
      if (chance < 0.3) errands.plan(at + 4 * HOUR, 'cancels SNE', () => client.companies.cancelSne(id));
      if (chance > 0.5)
        errands.plan(at + HOUR, 'registers certificates', () =>
          client.companies.storeCertificate(id, { certificate, password: PASSWORD }),
        );
      if (chance > 0.9)
        errands.plan(at + 6 * HOUR, 'removes certificates', () => client.companies.removeCertificate(id));
      errands.plan(at + 2 * HOUR, 'changes companies', () =>
        client.companies.update(id, { external_uid: `filial-${id}` }),
      );
    }
  });
}

/** @param {OfficeParts} parts */
function planConsole({ client, errands, options: { seed, companies } }) {
  /**
   * @param {string} email
   * @param {string} name
   * @param {string} taxId
   */
  const signIn = (email, name, taxId) => () =>
    client.consoleUsers.signIn({ email, name, companies: [{ tax_id: taxId }] });
  errands.plan(2.5 * HOUR, 'signs console users in', async () => {
    let number = 0;
    for await (const { tax_id } of client.companies.all()) {
      if (typeof tax_id !== 'string') continue;
      number += 1;
      const email = `atendente${number}@frota.example`;
      const name = pick(NAMES, seed, email);
      errands.plan(
        (2.5 + keyedShare(seed, email)) * HOUR,
        'signs console users in',
        signIn(email, name, tax_id),
      );
      if (number % 2 === 0)
        errands.plan(7 * HOUR, 'renames console users', signIn(email, `${name} Lima`, tax_id));
      if (number >= companies) break;
    }
  });
  errands.plan(11 * HOUR, 'deletes console users', async () => {
    let number = 0;
    for await (const { id } of client.consoleUsers.all()) {
      number += 1;
      if (number % 4 === 0)
        errands.plan(11 * HOUR, 'deletes console users', () => client.consoleUsers.remove(id));
    }
  });
}

/**
 * @param {readonly string[]} names
 * @param {number} seed
 * @param {string} key
 */
function pick(names, seed, key) {
  return names[Math.floor(keyedShare(seed, key) * names.length)] ?? '';
}
