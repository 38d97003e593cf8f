/** `portaria privacy`: finds a person in the database, erases them, and keeps the evidence. */
import type { Command } from 'commander';
import type { Finding } from '../../../privacy/erase-content.ts';
import { identifierCounts } from '../../../privacy/identifier.ts';
import { personOf } from '../../../privacy/person.ts';
import { knownContract } from '../../known-contract.ts';
import { scanStore } from '../../../privacy/scan-store.ts';
import { findingView, type FindingView } from '../../../view/privacy/finding-view.ts';
import { instantText } from '../../../view/instant-text.ts';
import { jsonOption, limitOption, unmaskOption, type DetailFlags } from '../../options/list-options.ts';
import { countOf } from '../../../kernel/text/count.ts';
import { readableTime } from '../../output/format.ts';
import type { Limit, Page } from '../../output/pages.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import { operateOnStore } from '../../audited.ts';
import type { Session } from '../../session.ts';
import { createScanProgress, FOR_SUBJECTS, givenIdentifiers, WHO, wholePerson } from './given-person.ts';
import { addErase } from './privacy-erase.ts';
import { addHold } from './privacy-hold.ts';
import { addReapply } from './privacy-reapply.ts';
import { addReceipts } from './privacy-receipts.ts';

export function addPrivacy(program: Command, session: Session): void {
  const privacy = program
    .command('privacy')
    .description("find and erase a person's data, hold subjects, and check receipts (docs/privacy.md)");
  addFind(privacy, session);
  addErase(privacy, session);
  addReapply(privacy, session);
  addHold(privacy, session);
  addReceipts(privacy, session);
}

interface FindFlags extends DetailFlags {
  readonly limit: Limit;
}

const columns: readonly Column<FindingView>[] = [
  { heading: 'place', value: (finding) => finding.place },
  { heading: 'id', value: (finding) => finding.id },
  { heading: 'time', value: (finding) => readableTime(finding.at) },
  { heading: 'kind', shrinks: true, optional: true, value: (finding) => finding.kind },
  { heading: 'subject', shrinks: true, optional: true, value: (finding) => finding.subject },
  { heading: 'fields', shrinks: true, value: (finding) => finding.fields.join(', ') },
];

const valuesColumn: Column<FindingView> = {
  heading: 'values',
  shrinks: true,
  value: (finding) => finding.values?.map(String).join(', ') ?? '',
};

/** `portaria privacy find`: lists every row that holds data of a person. */
function addFind(privacy: Command, session: Session): void {
  privacy
    .command('find')
    .description('list every row that holds data of a person, and the fields; changes nothing')
    .argument('<who...>', WHO)
    .addOption(limitOption('rows', 200))
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (who: string[], { json, unmask, limit }: FindFlags) => {
      const given = await givenIdentifiers(session, who);
      const contract = await knownContract(session);
      const operation = {
        action: 'findPerson',
        unmasked: true,
        subject: { identifiers: identifierCounts(given) },
        announced: true,
      };
      await operateOnStore(session, unmask ? operation : null, async (store, _config, addDetails) => {
        const identifiers = await wholePerson(session, store, given, contract);
        const progress = createScanProgress(session, 'searching');
        const summary = createSummary();
        const found = scanStore(store, personOf(identifiers), contract, progress.report);
        const rows = listed(found, limit, (finding) => {
          summary.add(finding);
          return findingView(finding, { unmask });
        });
        try {
          await writeList(session, rows, {
            columns: unmask ? [...columns, valuesColumn] : columns,
            json,
            empty: 'The database holds nothing of this person.',
          });
        } finally {
          progress.stop();
        }
        if (summary.rows() === 0 && given.some(({ type }) => type === 'subject'))
          await session.note(FOR_SUBJECTS);
        if (summary.rows() > 0) {
          await session.note(summary.text());
          await session.note(`The person is identified by ${identifierCounts(identifiers)}.`);
        }
        addDetails({ identifiers: identifierCounts(identifiers), rows: String(summary.rows()) });
      });
    });
}

/** Reads all findings for the summary, and yields the first ones. */
async function* listed(
  groups: AsyncIterable<readonly Finding[]>,
  limit: Limit,
  view: (finding: Finding) => FindingView,
): AsyncGenerator<Page<FindingView>> {
  let left = limit === 'all' ? Infinity : limit;
  let cut = false;
  for await (const group of groups) {
    const views = group.map(view);
    const rows = views.slice(0, left);
    cut ||= rows.length < views.length;
    left -= rows.length;
    if (rows.length > 0) yield { rows, cut: false };
  }
  yield { rows: [], cut };
}

function createSummary() {
  const counts = new Map<string, number>();
  let first = Infinity;
  let last = -Infinity;
  const rows = () => counts.values().reduce((sum, count) => sum + count, 0);
  return {
    rows,
    add({ content: { place, at } }: Finding) {
      counts.set(place, (counts.get(place) ?? 0) + 1);
      if (at === null) return;
      first = Math.min(first, at);
      last = Math.max(last, at);
    },
    text() {
      const places = [...counts].map(([place, count]) => `${String(count)} ${place}`).join(', ');
      const range =
        first === Infinity
          ? ''
          : `, from ${readableTime(instantText(first))} to ${readableTime(instantText(last))}`;
      return `${countOf(rows(), 'row')}: ${places}${range}.`;
    },
  };
}
