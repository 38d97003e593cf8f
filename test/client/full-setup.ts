import { readFileSync } from 'node:fs';
import { addAnttViolation } from '../../provider/antt-violations/change-antt-violation.ts';
import type { Change } from '../../provider/change.ts';
import { addCharge } from '../../provider/charges/change-charge.ts';
import { startFirstImport } from '../../provider/sync/company-import.ts';
import {
  addAgency,
  addTrafficViolation,
} from '../../provider/traffic-violations/change-traffic-violation.ts';
import { storeUserDriverLicense } from '../../provider/users/change-user.ts';
import { issueViolationTicket } from '../../provider/violation-tickets/change-violation-ticket.ts';
import { form } from '../../provider/test/kit/indication-setup.ts';
import { company, cpfs, license, user } from '../../provider/test/kit/people.ts';
import { loggedIn } from '../../provider/test/kit/test-provider.ts';
import { agency, speeding } from '../../provider/test/kit/violation-setup.ts';
import { openClientSetup } from './client-setup.ts';

/** A certificate file written by OpenSSL, in base64. Its password is `segredo`. */
export const certificate = readFileSync(
  new URL('../../provider/test/certificates/rsa-aes.p12', import.meta.url),
).toString('base64');

/**
 * Opens a client of an organization with one record of every kind. There is a
 * second violation and charge for requests that a record accepts only once.
 */
export async function openFullSetup() {
  const setup = await openClientSetup();
  const { client, provider, ours } = setup;
  const change = <T>(work: (change: Change) => Promise<T>) => provider.change(ours.organization, work);

  const { id: companyId } = await client.companies.create({ ...company, external_uid: 'matriz' });
  const { id: userId } = await client.users.create({ ...user, phone: '+5511987654321' });
  await loggedIn(setup, 'company', companyId);
  await loggedIn(setup, 'user', userId);
  await client.companies.certificate.store(companyId, { certificate, password: 'segredo' });
  await client.consoleUsers.signIn({
    email: 'gestora@example.com',
    companies: [{ tax_id: company.tax_id }],
  });
  const [consoleUser] = (await client.consoleUsers.list()).data;

  await change((each) => startFirstImport(each, companyId));
  await change((each) => storeUserDriverLicense(each, userId, license));
  const driver = await client.drivers.create({ tax_id: cpfs[0] });
  const appeal = await client.appeals.create({
    user_id: driver.id,
    object_id: 31,
    object_type: 'procedure',
  });

  const addViolation = () =>
    change(async (each) => {
      await addAgency(each, agency);
      const owners = { company_id: companyId, user_id: userId, agency_code: agency.code };
      return addTrafficViolation(each, { ...speeding, ...owners, penalty_notice_date: '2026-03-10' });
    });
  const violation = await addViolation();
  const violationTicket = await client.trafficViolations.tickets.request(violation.id);
  await change((each) => issueViolationTicket(each, violationTicket.id, 'pix'));
  const indication = await client.trafficViolations.indications.create(violation.id, form);

  const addAntt = () =>
    change((each) => addAnttViolation(each, { company_id: companyId, type: 'rntrc', status: 'pending' }));
  const antt = await addAntt();
  const anttTicket = await client.anttViolations.tickets.request(antt.id);

  const addOneCharge = () =>
    change((each) =>
      addCharge(each, { company_id: companyId, type: 'fee', status: 'pending', due_date: '2026-03-31' }),
    );
  const charge = await addOneCharge();
  const slip = await client.charges.paymentSlips.request(charge.id);

  return {
    ...setup,
    change,
    ids: {
      company: companyId,
      user: userId,
      consoleUser: consoleUser?.id ?? '',
      driver: driver.id,
      appeal: appeal.id,
      violation: violation.id,
      otherViolation: (await addViolation()).id,
      violationTicket: violationTicket.id,
      indication: indication.id,
      antt: antt.id,
      otherAntt: (await addAntt()).id,
      anttTicket: anttTicket.id,
      charge: charge.id,
      otherCharge: (await addOneCharge()).id,
      slip: slip.id,
    },
  };
}

export type FullSetup = Awaited<ReturnType<typeof openFullSetup>>;
