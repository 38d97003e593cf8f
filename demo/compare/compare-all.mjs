import { compareSubject } from './compare-subject.mjs';
import { families } from './families.mjs';
import { readMachines, readReceived } from './received.mjs';
import { readRecords } from './records.mjs';

/**
 * Compares every subject that either side knows.
 *
 * @param {import('../world/start-world.mjs').World} world
 * @param {ReturnType<typeof import('./outbox.mjs').openOutbox>} outbox
 * @param {object} how
 * @param {ReadonlySet<number>} how.wereInactive users whose link was inactive at some time of the day
 * @param {(what: string) => void} how.tell
 * @returns {Promise<readonly import('./compare-subject.mjs').Comparison[]>}
 */
export async function compareAll(world, outbox, { wereInactive, tell }) {
  tell('reading what the service has told');
  const told = outbox.told();
  tell('reading what the receiver has stored');
  const received = await readReceived(world);
  tell("reading the service's records");
  const records = await readRecords(world, outbox.violationsOfIndications());
  tell('reading the states of machines');
  const states = await readMachines(
    world,
    [...told.values()].flatMap(({ subject, family }) => {
      const { machine } = families[family];
      return machine !== null && received.has(subject) ? [{ subject, machine }] : [];
    }),
  );

  tell(`comparing ${told.size} subjects`);
  const comparisons = [];
  for (const [subject, each] of told) {
    const record = records.bySubject.get(subject);
    const why = record === undefined ? await records.why(subject) : 'there';
    const owner = records.owners.get(subject);
    comparisons.push(
      compareSubject({
        told: each,
        received: received.get(subject),
        state: states.get(subject),
        record,
        absent: why === 'there' ? null : why,
        wasInactive: owner !== undefined && (wereInactive.has(owner) || records.inactive.has(owner)),
      }),
    );
  }
  const invented = [...received.keys()].filter((subject) => !told.has(subject));
  return [
    ...comparisons,
    ...invented.map((subject) => ({
      subject,
      family: /** @type {import('./families.mjs').Family} */ (subject.slice(0, subject.lastIndexOf(':'))),
      standing: /** @type {const} */ ('different'),
      reason: 'the service has told nothing of it',
    })),
  ];
}
