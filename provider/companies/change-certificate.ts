/** Changes the digital certificates of companies. */
import { addDays, brazilianDay, startOfDay } from '../brazilian-day.ts';
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';
import type { Provider } from '../provider.ts';
import { scheduleStep } from '../scenario/schedule-step.ts';
import { openCertificateInThread } from './certificate-opener.ts';
import { changeCompany } from './change-company.ts';
import { companies } from './company.ts';
import { MAX_BYTES, type OpenedCertificate } from './open-certificate.ts';

/** Error messages by problem. */
const explanations = {
  'not a PKCS#12 file': 'certificate: is not a PKCS#12 file in base64',
  'too large': `certificate: has more than ${String(MAX_BYTES)} bytes`,
  'too much work':
    'certificate: takes too long to open; export it with 600000 rounds of key derivation or fewer',
  'wrong password': 'password: does not open the certificate',
  'no certificate with its key': 'certificate: holds no certificate with its private key',
} as const;

interface GivenCertificate {
  readonly organization: number;
  /** Id of the company. */
  readonly id: number;
  /** Base64. */
  readonly file: string;
  readonly password: string;
}

/**
 * Opens a company's digital certificate and registers it in place of any other. The file
 * itself, which holds a private key, is not stored.
 *
 * @throws HttpError 400 when the file or its password is not valid; 404; 422 when the
 *   certificate has expired; 429 when the organization is opening too many.
 */
export async function storeCertificate(
  provider: Provider,
  { organization, id, file, password }: GivenCertificate,
) {
  await companies.read(provider.query, organization, id);
  const release = provider.openings.acquire(organization);
  // Before the transaction: others would wait for it.
  const opened = await openCertificateInThread({ file, password }, provider.machine).finally(release);
  if (typeof opened === 'string') throw new HttpError(400, explanations[opened]);
  if (opened.validTo < provider.clock.now())
    throw new HttpError(422, `The certificate expired on ${brazilianDay(opened.validTo)}`);
  return provider.change(organization, (change) => registerCertificate(change, id, opened));
}

/** Registers an opened certificate for a company, in place of any other. @throws HttpError 404 */
export async function registerCertificate(
  change: Change,
  id: number,
  { validFrom, validTo }: OpenedCertificate,
) {
  const lastDay = brazilianDay(validTo);
  await signInBy(change, id, 'certificate');
  await scheduleStep(change, 'company-login', id, 'login starts');
  await scheduleStep(change, 'company-certificate', id, { at: startOfDay(addDays(lastDay, 1)) });
  return changeCompany(
    change,
    id,
    {
      certificate_status: 'valid',
      certificate_issue_date: brazilianDay(validFrom),
      certificate_expiration_date: lastDay,
    },
    'company.certificate.updated',
  );
}

/** Marks a certificate as expired after its last day, unless it was replaced or removed. @throws HttpError 404 */
export async function expireCertificate(change: Change, id: number): Promise<void> {
  const { certificate } = await companies.read(change.transaction, change.organization, id);
  const { status, expiration_date: lastDay } = certificate;
  if (status !== 'valid' || lastDay === null || lastDay >= change.today) return;
  await changeCompany(change, id, { certificate_status: 'expired' }, 'company.certificate.updated');
}

/** Removes a company's certificate. @throws HttpError 404; 422 when no certificate is registered. */
export async function removeCertificate(change: Change, id: number) {
  const { certificate } = await companies.read(change.transaction, change.organization, id);
  if (certificate.status === 'not_provided')
    throw new HttpError(422, `Company with id ${String(id)} has no certificate registered`);
  await signInBy(change, id, 'username');
  return changeCompany(
    change,
    id,
    {
      certificate_status: 'not_provided',
      certificate_issue_date: null,
      certificate_expiration_date: null,
    },
    'company.certificate.updated',
  );
}

/** Sets the credentials of the company's next login. */
async function signInBy(
  { transaction }: Change,
  id: number,
  type: 'certificate' | 'username',
): Promise<void> {
  await transaction
    .updateTable('logins')
    .set({ type })
    .where('owner_kind', '=', 'company')
    .where('owner_id', '=', id)
    .execute();
}
