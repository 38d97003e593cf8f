/** `portaria subjects list`: the entities that events are about. */
import { InvalidArgumentError, type Command } from 'commander';
import { addCompanyOption, lookedUp } from '../../options/company-option.ts';
import { momentParser } from '../../options/event-filter.ts';
import { addListOptions, type ListFlags } from '../../options/list-options.ts';
import { readableTime } from '../../output/format.ts';
import { pages, viewed } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';
import { subjectName } from '../../../event/subject.ts';
import type { SubjectFilter, SubjectRecord } from '../../../store/queries.ts';
import { instantText } from '../../../view/instant-text.ts';

interface SubjectListFlags extends ListFlags {
  readonly family?: string;
  readonly company?: string;
  readonly source?: string;
  readonly since?: number;
  readonly until?: number;
  readonly after?: string;
}

const columns: readonly Column<SubjectView>[] = [
  { heading: 'latest', value: (subject) => readableTime(subject.latest_at) },
  { heading: 'subject', value: ({ subject }) => subject },
  { heading: 'events', align: 'right', value: ({ events }) => events },
  { heading: 'latest event', value: (subject) => subject.latest_event_id },
  { heading: 'kind', shrinks: 'start', optional: true, value: (subject) => subject.latest_kind },
  { heading: 'source', optional: true, value: ({ source }) => source },
];

export function addSubjectsList(subjects: Command, session: Session): void {
  const parseMoment = momentParser(session.terminal.clock);
  const command = subjects
    .command('list')
    .description('list subjects, that with the newest latest event first')
    .option(
      '--family <family>',
      'of this family, for example charge; without the part after the colon',
      (text) => {
        if (!/^[^:\s]+$/.test(text))
          throw new InvalidArgumentError(
            'Write a family without an id, for example charge; `subjects show` takes both.',
          );
        return text;
      },
    )
    .option('--source <name>', 'from this source')
    .option(
      '--since <time>',
      'whose latest event was received at or after this time (local) or age',
      parseMoment,
    )
    .option('--until <time>', 'whose latest event was received before this time or age', parseMoment)
    .option('--after <event>', 'start after the subject with this latest event, that of the previous page');
  addListOptions(addCompanyOption(command)).action(
    async ({ json, limit, after, ...flags }: SubjectListFlags) => {
      await withStore(session, async (store) => {
        const filter = await lookedUp<SubjectFilter>(session, store, flags);
        const found = pages(limit, (page) =>
          store.subjects(filter, { ...(after !== undefined && { after }), ...page }),
        );
        await writeList(session, viewed(found, subjectView), { columns, json, empty: 'No subject matches.' });
      });
    },
  );
}

/** A subject in a list. */
interface SubjectView {
  /** `family:id`. */
  readonly subject: string;
  readonly source: string;
  /** The number of its events. */
  readonly events: number;
  /** The event with the highest version, or received last if its kind has none. */
  readonly latest_event_id: string;
  readonly latest_kind: string;
  /** When that event arrived: ISO 8601. */
  readonly latest_at: string;
}

function subjectView(record: SubjectRecord): SubjectView {
  return {
    subject: subjectName(record.subject),
    source: record.source,
    events: record.events,
    latest_event_id: record.id,
    latest_kind: record.kind,
    latest_at: instantText(record.receivedAt),
  };
}
