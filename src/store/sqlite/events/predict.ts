/** Tells what the verdicts of events would be, without storing them. */
import type { Plans } from '../../plans.ts';
import { predictVerdicts, type StoredBefore } from '../../shared/events/predict-verdicts.ts';
import { createKeyed } from '../privacy/keyed-digest.ts';
import type { Connection } from '../sql/connection.ts';
import { createKnownEvents } from './known-events.ts';
import { createFindSubject } from './subjects.ts';

/** Predicts verdicts. Its statements are prepared at the first call: few processes ever ask. */
export function createPredict(connection: Connection): Pick<Plans, 'predictVerdicts'> {
  let prepared: ReturnType<typeof prepareLookUp> | undefined;
  return {
    predictVerdicts(events) {
      prepared ??= prepareLookUp(connection);
      const { lookUp, hasContent } = prepared;
      return Promise.resolve(predictVerdicts(events, events.map(lookUp), hasContent));
    },
  };
}

function prepareLookUp(connection: Connection) {
  const keyed = createKeyed(connection.database);
  const { find } = createFindSubject(connection, keyed);
  const { ofMessage, newestOfContent, hasContent } = createKnownEvents(connection, keyed);
  const lookUp = ({
    source,
    subject: name,
    formerId,
    digest,
    messageDigest,
  }: Parameters<Plans['predictVerdicts']>[0][number]): StoredBefore => {
    const subject = find(source, name, formerId);
    return {
      subject,
      ofMessage: messageDigest === null ? undefined : ofMessage(messageDigest),
      ofContent: subject === undefined ? undefined : newestOfContent(subject, digest),
    };
  };
  return { lookUp, hasContent };
}
