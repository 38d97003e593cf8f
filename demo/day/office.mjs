import { keyedRandom } from './keyed-random.mjs';
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
 * @typedef {object} OfficeDeps
 * @property {import('portaria/client').Client} client
 * @property {import('../environment/control.mjs').Control} control
 * @property {import('./errands.mjs').Errands} errands
 * @property {import('../options.mjs').DemoOptions} options
 * @property {number} dayStart milliseconds since 1970
 * @property {Set<number>} wereInactive users whose link was inactive during the day
 */

/**
 * Plans the day of a fleet's office: its requests to the provider's API. They depend
 * on the seed and the record only.
 *
 * @param {OfficeDeps} deps
 */
export function planOfficeDay(deps) {
  const { options } = deps;
  for (let number = 1; number <= Math.ceil(options.companies / 4); number += 1)
    planNewCompany(deps, `new ${number}`);
  for (let number = 1; number <= options.companies; number += 1) planNewUser(deps, `driver ${number}`);
  planCompanies(deps);
  planUsers(deps);
  planConsole(deps);
}

/**
 * @param {OfficeDeps} deps
 * @param {string} key
 */
function planNewCompany({ client, errands, options: { seed } }, key) {
  const at = 0.5 * HOUR + keyedRandom(seed, key) * HOUR;
  errands.plan(at, 'adds companies', () =>
    client.companies.create({
      name: `Transportes ${pick(PLACES, seed, `${key}: workspace`)} Ltda`,
      tax_id: cnpjOf(seed, key),
      external_uid: key.replaceAll(' ', '-'),
      login_username: cpfOf(seed, key),
    }),
  );
}

/**
 * @param {OfficeDeps} deps
 * @param {string} key
 */
function planNewUser({ client, errands, options: { seed } }, key) {
  errands.plan(0.5 * HOUR + keyedRandom(seed, key) * 2 * HOUR, 'adds drivers', () =>
    client.users.create({
      name: `${pick(NAMES, seed, key)} ${pick(SURNAMES, seed, `${key}: surname`)}`,
      tax_id: cpfOf(seed, key),
      external_uid: key.replaceAll(' ', '-'),
    }),
  );
}

/**
 * Deactivates the links of some drivers, activates some of them again, and removes a few drivers.
 *
 * @param {OfficeDeps} deps
 */
function planUsers({ client, errands, options: { seed }, wereInactive }) {
  errands.plan(3 * HOUR, 'reads its drivers', async () => {
    for await (const { id, status } of client.users.all()) {
      const chance = keyedRandom(seed, `user ${id}`);
      const at = (3 + chance) * HOUR;
      if (status === 'inactive') wereInactive.add(id);
      if (status !== 'inactive' && chance < 0.25)
        errands.plan(at, 'deactivates links', () => {
          wereInactive.add(id);
          return client.users.deactivate(id);
        });
      if (chance < 0.15) errands.plan(at + 5 * HOUR, 'activates links', () => client.users.activate(id));
      if (chance > 0.5) errands.plan(at, 'signs up for SNE', () => client.users.sne.signUp(id));
      if (chance > 0.95) errands.plan(at + 6 * HOUR, 'removes drivers', () => client.users.remove(id));
    }
  });
}

/** @param {OfficeDeps} deps */
function planCompanies({ client, errands, options: { seed }, dayStart }) {
  const certificate = makeCertificate({ now: dayStart, password: PASSWORD });
  errands.plan(3 * HOUR, 'reads its companies', async () => {
    for await (const { id } of client.companies.all()) {
      const chance = keyedRandom(seed, `company ${id}`);
      const at = (3 + chance) * HOUR;
      errands.plan(at, 'signs up for SNE', () => client.companies.sne.signUp(id));
      if (chance < 0.3) errands.plan(at + 4 * HOUR, 'cancels SNE', () => client.companies.sne.cancel(id));
      if (chance > 0.5)
        errands.plan(at + HOUR, 'registers certificates', () =>
          client.companies.certificate.store(id, { certificate, password: PASSWORD }),
        );
      if (chance > 0.9)
        errands.plan(at + 6 * HOUR, 'removes certificates', () => client.companies.certificate.remove(id));
      errands.plan(at + 2 * HOUR, 'changes companies', () =>
        client.companies.update(id, { external_uid: `filial-${id}` }),
      );
    }
  });
}

/** @param {OfficeDeps} deps */
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
        (2.5 + keyedRandom(seed, email)) * HOUR,
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
  return names[Math.floor(keyedRandom(seed, key) * names.length)] ?? '';
}
