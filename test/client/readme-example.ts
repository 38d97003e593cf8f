/* oxlint-disable no-console -- docs/provider-and-client.md shows everything below this line. */
import { ClientError, createClient } from 'portaria/client';

const client = createClient({
  url: 'http://127.0.0.1:4010',
  apiKey: process.env['PORTARIA_API_KEY'] ?? '',
  onDrift: (drift) => console.warn('not what the contract says', drift),
});

const { total } = await client.companies.list();
console.log(`${total} companies`);

for await (const charge of client.charges.all({ filters: { status: { $ne: 'paid' } } })) {
  try {
    const slip = await client.charges.paymentSlips.request(charge.id);
    console.log(`charge ${charge.id}: payment slip ${slip.id} is ${slip.status}`);
  } catch (error) {
    // error.status, error.label and error.detail have the provider's response.
    if (!ClientError.is(error, 'conflict')) throw error;
    console.log(`charge ${charge.id} has an active payment slip`);
  }
}
