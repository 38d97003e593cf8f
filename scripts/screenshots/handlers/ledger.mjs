/** Books charges. It rejects what it has no account for, so that there are failures to show. */
import { defineHandler } from 'portaria';
export { default as logins } from 'portaria/handlers/login-attempt';
export { default as slips } from 'portaria/handlers/payment-slip';

export default defineHandler({
  name: 'ledger',
  on: 'charge.*',
  retry: { attempts: 1 },
  handle({ data }) {
    if (data !== null && typeof data === 'object' && 'amount' in data && Number(data.amount) > 900)
      throw new Error('422 no account for amounts above 900.00');
  },
});
