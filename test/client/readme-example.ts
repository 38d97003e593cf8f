/* oxlint-disable no-console -- docs/provider-and-client.md shows everything below this line. */
import { ClientError, createClient } from 'portaria/client';

const client = createClient({
  url: 'http://127.0.0.1:4010',
  apiKey: process.env['PORTARIA_API_KEY'] ?? '',
  onDrift: (drift) => console.warn('not what the contract says', drift),
});

try {
  const { id } = await client.companies.create({ name: 'Serra Azul', tax_id: '11222333000181' });
  for await (const charge of client.charges.all({
    filters: { status: { $ne: 'paid' }, company: { external_uid: { $eq: 'matriz' } } },
  }))
    await client.charges.requestSlip(charge.id);
  for await (const { event, data } of client.companies.streamSync(id)) console.log(event, data);
} catch (error) {
  if (!ClientError.is(error, 'not-found')) throw error; // error.status, error.label, error.detail
}
