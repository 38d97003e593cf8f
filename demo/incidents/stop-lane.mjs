const HOUR = 3_600_000;
const SLIPS = 4;

/** The handler `slip-documents` waits for a slip that the agency never issues; the slip's lane waits with it. @type {import('./incidents.mjs').Incident} */
export const stopLane = {
  told: 'Something has been waiting for two hours, although all else is quick.',
  phases: [
    {
      earlierMs: 2 * HOUR,
      handlers: 'slip-documents',
      standing: true,
      async happen({ client, control }) {
        /** @type {number[]} */
        const slips = [];
        for await (const { id } of client.charges.all({ filters: { status: { $ne: 'paid' } } })) {
          if (slips.length >= SLIPS) break;
          const known = await client.charges.paymentSlips.listOf(id);
          if (known.length > 0) continue;
          slips.push((await client.charges.paymentSlips.request(id)).id);
        }
        for (const slip of slips)
          await control.post(`/charges/payment-slips/${slip}/status`, { status: 'requested' });
        // The agency never answers about the second.
        for (const slip of slips.filter((_, at) => at !== 1))
          await control.post(`/charges/payment-slips/${slip}/status`, { status: 'issued' });
      },
    },
  ],
};
