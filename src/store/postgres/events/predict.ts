/** Predicts the verdicts of events that may arrive. */
import type { Plans } from '../../plans.ts';
import { predictVerdicts } from '../../shared/events/predict-verdicts.ts';
import { createKeyed } from '../privacy/keyed-digest.ts';
import type { Connection } from '../sql/connection.ts';
import { eventsOfMessages, hasContentOf, newestOfContents } from './known-events.ts';
import { readSubjects, subjectKey } from './subjects.ts';

/** Events that are looked up in one statement. */
const BATCH = 500;

/** Predicts verdicts from what is stored now, without locks. */
export function createPredict({ read }: Pick<Connection, 'read'>): Pick<Plans, 'predictVerdicts'> {
  const key = createKeyed(read);
  type Before = Parameters<typeof predictVerdicts>[1][number];

  async function lookUp(events: Parameters<Plans['predictVerdicts']>[0]): Promise<readonly Before[]> {
    const keyed = await key();
    const subjects = await readSubjects(read, new Map(events.map((one) => [subjectKey(one), one])), keyed);
    const known = events.map((event) => subjects.get(subjectKey(event)));
    const ofMessage = await eventsOfMessages(
      read,
      events.map((event) => ({ event })),
    );
    const ofContent = await newestOfContents(
      read,
      events.map((event, at) => {
        const { id, erased } = known[at] ?? { id: 0, erased: 0 };
        return { event, subject: { id, erased, isNew: known[at] === undefined } };
      }),
      keyed,
    );
    return events.map((_, at) => ({
      subject: known[at],
      ofMessage: ofMessage[at],
      ofContent: ofContent[at],
    }));
  }

  return {
    async predictVerdicts(events) {
      const before: Before[] = [];
      for (let from = 0; from < events.length; from += BATCH)
        before.push(...(await lookUp(events.slice(from, from + BATCH))));
      return predictVerdicts(events, before, hasContentOf(await key()));
    },
  };
}
