import { readFileSync } from 'node:fs';
import { addAnttViolation, type NewAnttViolation } from '../../antt-violations/change-antt-violation.ts';
import { addCharge, type NewCharge } from '../../charges/change-charge.ts';
import { registerLicense } from '../../driver-licenses/change-driver-license.ts';
import { generateCnpj, generateCpf } from '../../seed/generate-identifiers.ts';
import { completeSneRequest } from '../../sne/complete-sne-request.ts';
import {
  addAgency,
  addTrafficViolation,
  type NewTrafficViolation,
} from '../../traffic-violations/change-traffic-violation.ts';
import { storeUserDriverLicense } from '../../users/change-user.ts';
import { issueViolationTicket } from '../../violation-tickets/change-violation-ticket.ts';
import { license } from './people.ts';
import { openWithScenario } from './scenario-setup.ts';
import { loggedIn } from './test-provider.ts';
import { agency, speeding } from './violation-setup.ts';

/** A PKCS#12 file with a certificate valid until 2027-11-21. */
export const certificate = {
  certificate: readFileSync(new URL('../certificates/rsa-aes.p12', import.meta.url)).toString('base64'),
  password: 'segredo',
};

type Kind = 'company' | 'user';

/** Opens a provider with functions that create the records of a request. Unless stated, they return the id. */
export async function openWithFixtures() {
  const setup = await openWithScenario();
  const { ours, provider } = setup;
  let drawn = 0;
  const cnpj = () => generateCnpj(1, (drawn += 1));
  const cpf = () => generateCpf(1, (drawn += 1));
  const created = (work: Parameters<typeof provider.change<{ readonly id: number }>>[1]) =>
    provider.change(ours.organization, work).then(({ id }) => id);
  const posted = async (path: string, body?: object) => {
    const response = await ours.post(path, body);
    if (response.status > 201) throw new Error(`POST ${path} failed: ${JSON.stringify(response)}`);
    return Number(response.data['id'] ?? response.body['id']);
  };

  const company = (body: object = {}) =>
    posted('/v1/companies', { name: 'Serra Azul', tax_id: cnpj(), external_uid: 'matriz', ...body });
  const user = () =>
    posted('/v1/users', { name: 'Beatriz Nogueira', tax_id: cpf(), external_uid: 'motorista' });
  const deactivated = async (id: number) => {
    await ours.post(`/v1/users/${String(id)}/deactivate`);
    return id;
  };
  const violation = async (values: Partial<NewTrafficViolation> = {}) => {
    const owners = { company_id: await company(), user_id: await user(), agency_code: agency.code };
    return created(async (change) => {
      await addAgency(change, agency);
      return addTrafficViolation(change, { ...speeding, ...owners, ...values });
    });
  };
  const ticket = async () => posted(`/v1/traffic-violations/${String(await violation())}/tickets`);
  const driver = async () => {
    const tax_id = cpf();
    await provider.change(ours.organization, (change) =>
      registerLicense(change, { tax_id, status: 'Válida', issue_date: '2022-05-02', points: 7 }),
    );
    return posted('/v1/drivers', { tax_id });
  };
  const antt = async (values: Partial<NewAnttViolation> = {}) => {
    const company_id = await company();
    return created((change) =>
      addAnttViolation(change, { company_id, type: 'rntrc', status: 'pending', ...values }),
    );
  };
  const charge = async (values: Partial<NewCharge> = {}) => {
    const company_id = await company();
    return created((change) => addCharge(change, { company_id, type: 'fee', status: 'pending', ...values }));
  };

  return {
    ...setup,
    cnpj,
    cpf,
    company,
    user,
    deactivated,
    violation,
    ticket,
    driver,
    antt,
    charge,
    posted,
    /** Creates an owner with a successful login. */
    async withLogin(kind: Kind) {
      const id = await (kind === 'company' ? company() : user());
      await loggedIn(setup, kind, id);
      return id;
    },
    /** Creates an owner with an active SNE registration. */
    async registered(kind: Kind) {
      const id = await this.withLogin(kind);
      await ours.post(`/v1/${kind === 'company' ? 'companies' : 'users'}/${String(id)}/sne`);
      await provider.change(ours.organization, (change) => completeSneRequest(change, kind, id, 'active'));
      return id;
    },
    async withCertificate() {
      const id = await company();
      await ours.post(`/v1/companies/${String(id)}/certificate`, certificate);
      return id;
    },
    async importing() {
      const id = await company({ login_username: cpf() });
      await setup.untilImport(id);
      return id;
    },
    async withLicense() {
      const id = await user();
      const photo = 'data:image/png;base64,iVBORw0KGgo=';
      const files = { photo, front: photo, back: photo, qr_code: photo };
      await provider.change(ours.organization, (change) =>
        storeUserDriverLicense(change, id, { ...license, files }),
      );
      return id;
    },
    /** Creates a violation, with a payment slip and an indication, of a user whose link is inactive. */
    async ofInactiveUser() {
      const user_id = await user();
      const id = await violation({ user_id });
      const tickets = await posted(`/v1/traffic-violations/${String(id)}/tickets`);
      const indication = await posted(`/v1/traffic-violations/${String(id)}/indications`, { tax_id: cpf() });
      await deactivated(user_id);
      return { id, ticket: tickets, indication };
    },
    async issuedTicket() {
      const id = await ticket();
      await provider.change(ours.organization, (change) => issueViolationTicket(change, id, 'pix'));
      return id;
    },
    /** Creates an indication. @returns its path. */
    async indication(body: object = {}) {
      const path = `/v1/traffic-violations/${String(await violation())}/indications`;
      return `${path}/${String(await posted(path, { tax_id: cpf(), ...body }))}`;
    },
    async consoleUser() {
      const tax_id = cnpj();
      const email = `gestor-${tax_id}@example.com`.toLowerCase();
      await company({ tax_id });
      await ours.post('/v1/console/users/sign-in', { name: 'Rafael', email, companies: [{ tax_id }] });
      const { rows } = await ours.get(`/v1/console/users?filters[email][$eq]=${email}`);
      return { id: String(rows[0]?.['id']), tax_id, email };
    },
    async appeal() {
      const body = { user_id: await driver(), reference_object_id: 1, reference_object_type: 'procedure' };
      return posted('/v1/appeals', body);
    },
  };
}

export type RecordFixtures = Awaited<ReturnType<typeof openWithFixtures>>;
