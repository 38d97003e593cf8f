const HOUR = 3_600_000;
/** Violations of each company that change in a phase. */
const EACH = 3;

/** The handler `statements` fails for one company: its login with the portal has failed. @type {import('./incidents.mjs').Incident} */
export const breakHandler = {
  told: 'A company misses the statements of its traffic violations; the others have theirs.',
  phases: [
    {
      earlierMs: 2 * HOUR,
      handlers: 'statements',
      async happen({ client, control }) {
        for await (const { id } of client.companies.all())
          await control.post(`/companies/${id}/login/succeed`);
        await changeViolations({ client, control }, { from: 'pending', to: 'suspended' });
      },
    },
    {
      earlierMs: HOUR / 2,
      handlers: 'statements',
      async happen({ client, control }) {
        const [victim] = [...(await violationsOf(client, 'suspended')).keys()];
        await control.post(`/companies/${victim}/login/disconnect`);
        await control.post(`/companies/${victim}/login/fail`, {
          step: 'credentials',
          error: 'Credencial expirada',
        });
        await changeViolations({ client, control }, { from: 'suspended', to: 'pending' });
      },
    },
  ],
};

/**
 * Changes some violations of each company, and takes turns between the companies.
 *
 * @param {Pick<import('../environment/start-environment.mjs').Environment, 'client' | 'control'>} environment
 * @param {Change} change
 *
 * @typedef {{ readonly from: 'pending' | 'suspended', readonly to: 'pending' | 'suspended' }} Change
 */
async function changeViolations({ client, control }, { from, to }) {
  const ofCompanies = [...(await violationsOf(client, from)).values()];
  for (let turn = 0; turn < EACH; turn += 1)
    for (const violations of ofCompanies)
      await control.post(`/traffic-violations/${violations[turn]}/status`, { status: to });
}

/**
 * The violations of each company that has enough of them in a status.
 *
 * @param {import('portaria/client').Client} client
 * @param {Change['from']} from
 */
async function violationsOf(client, from) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  for await (const { id, company, status } of client.trafficViolations.all()) {
    const owner = company?.id;
    if (typeof owner === 'number' && status === from) found.set(owner, [...(found.get(owner) ?? []), id]);
  }
  return new Map([...found].filter(([, ids]) => ids.length >= EACH).sort(([one], [other]) => one - other));
}
