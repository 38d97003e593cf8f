import { compareSubject } from './compare-subject.mjs';
import { families } from './families.mjs';
import { readMachines, readReceived } from './received.mjs';
import { readRecords } from './records.mjs';

/**
 * Compares every subject that at least one side knows.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @param {ReturnType<typeof import('./outbox.mjs').openOutbox>} outbox
 * @param {object} how
 * @param {ReadonlySet<number>} how.wereInactive users whose link was inactive during the day
 * @param {(what: string) => void} how.report
 * @returns {Promise<readonly import('./compare-subject.mjs').Comparison[]>}
 */
export async function compareAll(environment, outbox, { wereInactive, report }) {
  report('reading the webhooks of the provider');
  const sent = outbox.sent();
  report('reading the events of the receiver');
  const received = await readReceived(environment);
  report("reading the provider's records");
  const records = await readRecords(environment, outbox.violationsOfIndications());
  report('reading the states of machines');
  const states = await readMachines(
    environment,
    [...sent.values()].flatMap(({ subject, family }) => {
      const { machine } = families[family];
      return machine !== null && received.has(subject) ? [{ subject, machine }] : [];
    }),
  );

  report(`comparing ${sent.size} subjects`);
  const comparisons = [];
  for (const [subject, each] of sent) {
    const record = records.bySubject.get(subject);
    const why = record === undefined ? await records.why(subject) : 'there';
    const owner = records.owners.get(subject);
    comparisons.push(
      compareSubject({
        sent: each,
        received: received.get(subject),
        state: states.get(subject),
        record,
        absent: why === 'there' ? null : why,
        wasInactive: owner !== undefined && (wereInactive.has(owner) || records.inactive.has(owner)),
      }),
    );
  }
  const unexpected = [...received.keys()].filter((subject) => !sent.has(subject));
  return [
    ...comparisons,
    ...unexpected.map((subject) => ({
      subject,
      family: /** @type {import('./families.mjs').Family} */ (subject.slice(0, subject.lastIndexOf(':'))),
      outcome: /** @type {const} */ ('different'),
      reason: 'the provider has sent no webhook for it',
    })),
  ];
}
