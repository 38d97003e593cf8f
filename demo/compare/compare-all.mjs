import { compareSubject } from './compare-subject.mjs';
import { families, familyOfSubject } from './families.mjs';
import { readMachines, readReceived } from './received.mjs';

/** Exit codes of `portaria reconcile`: nothing differs, something does. */
const LOOKED = [0, 6];

/**
 * Compares every subject that at least one side knows: the records by `portaria reconcile`, the webhooks and the states
 * of machines with what the provider has sent.
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
  const silenced = outbox.subjectsOf(wereInactive);
  report('reading the events of the receiver');
  const received = await readReceived(environment);
  report("comparing the provider's records");
  const found = await reconcile(environment);
  report('reading the states of machines');
  const states = await readMachines(
    environment,
    [...received.keys()].flatMap((subject) => {
      const { machine } = families[familyOfSubject(subject)];
      return machine === null ? [] : [{ subject, machine }];
    }),
  );
  const subjects = new Set([...sent.keys(), ...received.keys(), ...found.keys()]);
  return [...subjects].map((subject) =>
    compareSubject({
      subject,
      family: familyOfSubject(subject),
      sent: sent.get(subject) ?? [],
      received: received.get(subject),
      found: found.get(subject),
      state: states.get(subject),
      wasInactive: silenced.has(subject),
    }),
  );
}

/**
 * What `portaria reconcile` finds, by subject.
 *
 * @param {import('../environment/start-environment.mjs').Environment} environment
 * @returns {Promise<ReadonlyMap<string, import('./compare-subject.mjs').Found>>}
 */
async function reconcile({ receiver }) {
  const out = await receiver.run(['reconcile', '--json'], LOOKED);
  const found = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
  return new Map(found.map((each) => [each.subject, each]));
}
