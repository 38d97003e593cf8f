const HOUR = 3_600_000;

/** The weighbridge sends text where it sent a number. Its developer has adapted the kind since. @type {import('./incidents.mjs').Incident} */
export const changeSender = {
  told: 'Weighings of the morning are missing in the reports. The weighbridge had an update; its developer has adapted the handler since.',
  phases: [
    {
      earlierMs: 2 * HOUR,
      handlers: 'weighings-before',
      happen: (environment) => weigh(environment, 1, (kg) => kg),
    },
    { earlierMs: HOUR, handlers: 'weighings-before', happen: (environment) => weigh(environment, 9, String) },
    { earlierMs: 0, handlers: 'weighings-fixed', happen: (environment) => weigh(environment, 17, String) },
  ],
};

/**
 * Sends eight weighings.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @param {number} first id of the first
 * @param {(kilograms: number) => number | string} write
 */
async function weigh({ webhooks }, first, write) {
  for (let id = first; id < first + 8; id += 1) {
    const response = await fetch(webhooks, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'truck.weighed',
        data: {
          id,
          plate: `SRA${id % 10}B${String(id).padStart(2, '0')}`,
          kilograms: write(18_000 + id * 137),
          // Of the weighbridge; only the order counts.
          weighed_at: new Date(Date.UTC(2026, 0, 1, 6, id)).toISOString(),
        },
      }),
    });
    // 422: it does not match its kind, and is kept in quarantine.
    if (!response.ok && response.status !== 422)
      throw new Error(`the receiver responded to a weighing with ${response.status}`);
  }
}
