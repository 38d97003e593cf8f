/** Posts each charge that becomes overdue to the finance system. */
import { defineHandler, RetryLater } from 'portaria';

export default defineHandler({
  name: 'overdue-charges',
  on: 'charge.updated',
  async handle({ data }, { idempotencyKey, signal, log }) {
    if (data.status !== 'overdue') return;
    const response = await fetch(process.env['FINANCE_URL'] ?? 'http://127.0.0.1:3000/overdue', {
      method: 'POST',
      // The key is the same for each attempt, so the finance system can ignore repeats.
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify({ charge: data.id, amount: data.amount }),
      signal,
    });
    if (response.status === 429) throw RetryLater(60_000);
    // Portaria retries after any other error, with exponential backoff.
    if (!response.ok) throw new Error(`the finance system responded with ${response.status}`);
    log.info({ charge: data.id }, 'reported an overdue charge');
  },
});
