/** Files the document of each payment slip of a charge: the agency makes it when it issues the slip. */
import { defineHandler } from 'portaria';

export default defineHandler({
  name: 'slip-documents',
  on: ['charge.payment-slip.created', 'charge.payment-slip.updated'],
  // The agency may take days.
  retry: { attempts: 100_000, baseMs: 1_000, maxMs: 3_000 },
  async handle({ data }, { client, log }) {
    const charge = data.charge?.id;
    if (client === null || typeof charge !== 'number') return;
    const slips = await client.charges.paymentSlips.listOf(charge);
    const status = slips.find(({ id }) => id === data.id)?.status;
    if (status === 'requested' || status === 'pending')
      throw new Error(`slip ${data.id} of charge ${charge} is ${status}: the agency has not issued it`);
    log.info({ slip: data.id }, 'filed the document');
  },
});
