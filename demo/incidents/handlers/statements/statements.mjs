/** Fetches the statement of a traffic violation from the portal, with the session of its company. */
import { defineHandler } from 'portaria';
export { default as logins } from 'portaria/handlers/login-attempt';

export default defineHandler({
  name: 'statements',
  on: 'traffic-violation.updated',
  retry: { attempts: 2, baseMs: 100, maxMs: 100 },
  async handle({ data }, { client, log }) {
    const company = data.company?.id;
    if (client === null || typeof company !== 'number') return;
    const { login } = await client.companies.read(company);
    if (login?.connected !== true)
      throw new Error(
        `company ${company} has no session with the portal: its login ended at the step ${login?.step}`,
      );
    log.info({ violation: data.id }, 'fetched the statement');
  },
});
