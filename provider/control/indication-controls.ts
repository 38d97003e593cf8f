/** Controls of indications and their documents. */
import { z } from 'zod';
import { nonEmptyString } from '../../src/contract/api/body-field.ts';
import { numericId } from '../../src/contract/api/endpoint.ts';
import { closedSet } from '../../src/contract/field/schemas.ts';
import type { Change } from '../change.ts';
import { HttpError } from '../http/http-error.ts';
import { moveIndication } from '../indications/change-indication.ts';
import { indications } from '../indications/indication.ts';
import { pendingSigners, refuseDocument, signDocument } from '../indications/sign-document.ts';
import { changeRecord } from './change-record.ts';
import { control, type Control } from './control.ts';

const params = z.object({ id: numericId });
/** Statuses that an agency, a driver or the time can set. */
const indicationMoves = ['accepted', 'filed', 'expired', 'rejected', 'failed', 'voided'] as const;
const move = z.strictObject({
  status: closedSet(indicationMoves),
  reason: nonEmptyString.optional(),
});
const signing = z.strictObject({
  status: closedSet(['signed', 'refused', 'expired']),
  /** Token of a signer. By default all pending signers sign, or the first one refuses. */
  signer: nonEmptyString.optional(),
  reason: nonEmptyString.optional(),
});

/** Actions of drivers, agencies and signers on indications. */
export const indicationControls: readonly Control[] = [
  control(
    {
      method: 'post',
      path: '/indications/{id}/status',
      summary: 'Indication: set its status',
      params,
      body: move,
    },
    async ({ params: { id }, body }, { provider }) => ({
      data: await changeRecord(provider, 'Indication', id, (change) =>
        moveIndication(change, id, body.status, body.reason),
      ),
    }),
  ),
  control(
    {
      method: 'post',
      path: '/indications/{id}/document/status',
      summary: 'Indication: sign its document (by one signer, or all), refuse it, or let it expire',
      params,
      body: signing,
    },
    async ({ params: { id }, body }, { provider }) => ({
      data: await changeRecord(provider, 'Indication', id, async (change) => {
        await setDocumentStatus(change, id, body);
        return indications.read(change.transaction, change.organization, id, 'webhook');
      }),
    }),
  ),
];

/** @throws HttpError 409 when there is no pending document. */
async function setDocumentStatus(
  change: Change,
  id: number,
  { status, signer, reason }: z.output<typeof signing>,
): Promise<void> {
  const indication = await indications.find(change.transaction, change.organization, id);
  if (indication?.document_status !== 'pending')
    throw new HttpError(
      409,
      `The indication's document is ${indication?.document_status ?? 'missing'}: only a pending one can be ${status}`,
    );
  if (status === 'expired') {
    // The document expires together with its indication.
    await moveIndication(change, id, 'expired', reason ?? 'Prazo de assinatura encerrado');
    return;
  }
  const missing = await pendingSigners(change, id);
  const signers = signer === undefined ? missing : [signer];
  if (status === 'signed') for (const token of signers) await signDocument(change, id, token);
  else await refuseDocument(change, id, signers[0] ?? '', reason ?? 'Recusado pelo signatário');
}
