/** `portaria quarantine`: lists, shows, releases and discards verified webhooks that are not valid events. */
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { createIdentify } from '../../../identify/identify.ts';
import { keyedIds } from '../../../store/erased-content.ts';
import { printable } from '../../../kernel/text/printable.ts';
import { quarantineEntry } from '../../../operate/show/quarantine-entry.ts';
import { withSettledAccept } from '../../../reconcile/settle-webhook.ts';
import { releaseQuarantine } from '../../../operate/change/release-quarantine.ts';
import { createParse } from '../../../parse/parse.ts';
import type { QuarantineStatus } from '../../../store/queries.ts';
import { releaseDetails } from '../../../view/change-details.ts';
import {
  type QuarantineDetailView,
  type QuarantineView,
  quarantineDetailView,
  quarantineStatusSchema,
  quarantineView,
} from '../../../view/quarantine-view.ts';
import type { ReleaseView } from '../../../view/operation-views.ts';
import { entryConditions } from '../../../view/parameters/conditions.ts';
import { operateOnStore, namedFilter } from '../../audited.ts';
import { exitCode } from '../../exit-code.ts';
import { maskingContract } from '../../known-contract.ts';
import { requireRoutes } from '../../known-handlers.ts';
import { addOvertakenOption, addPlanOptions, asksForPlan, type PlanFlags } from '../jobs/plan-options.ts';
import { runPlan } from '../jobs/run-plan.ts';
import { addQuarantineDiscard } from './quarantine-discard.ts';
import { addEntryFlags, selectedEntries, type EntryFlags } from '../../options/filters.ts';
import {
  addListOptions,
  jsonOption,
  unmaskOption,
  type DetailFlags,
  type ListFlags,
} from '../../options/list-options.ts';
import { fieldLines, indentedJson, messageIdText, readableTime } from '../../output/format.ts';
import { pages, viewed, wholeList } from '../../output/pages.ts';
import { droppedText } from '../../output/statistics-text.ts';
import type { Column } from '../../output/table.ts';
import { writeList } from '../../output/write-list.ts';
import type { Session } from '../../session.ts';
import { orSee, withStore } from '../../with-store.ts';
import { problemGroupView, type ProblemGroupView } from '../../../view/failure-view.ts';

export function addQuarantine(program: Command, session: Session): void {
  const quarantine = program
    .command('quarantine')
    .description('verified webhooks that are not events: malformed, invalid or in conflict');
  addList(quarantine, session);
  addShow(quarantine, session);
  addRelease(quarantine, session);
  addQuarantineDiscard(quarantine, session);
  addQuarantineProblems(quarantine, session);
}

const entryColumns: readonly Column<QuarantineView>[] = [
  { heading: 'received', value: (entry) => readableTime(entry.received_at) },
  { heading: 'id', value: (entry) => entry.id },
  {
    heading: 'status',
    value: ({ status }) => status,
    tone: ({ status }) => (status === 'held' ? 'alarm' : null),
  },
  { heading: 'reason', optional: true, value: (entry) => entry.reason },
  { heading: 'kind', shrinks: 'start', enough: 24, optional: true, value: (entry) => entry.kind },
  { heading: 'subject', shrinks: true, optional: true, value: (entry) => entry.subject },
  { heading: 'path', value: (entry) => entry.issues[0]?.path ?? null },
  { heading: 'issue', shrinks: true, enough: 56, value: issueText },
  { heading: 'source', shrinks: true, optional: true, value: (entry) => entry.source },
  { heading: 'repeats', align: 'right', optional: true, value: (entry) => entry.repeats },
  { heading: 'event', optional: true, value: (entry) => entry.event_id },
];

/** The first issue, which names the value, and the number of others; why it is held if it has no issues. */
function issueText({ issues: [first, ...others], message }: QuarantineView): string {
  if (first === undefined) return message;
  return others.length === 0 ? first.message : `${first.message} (and ${String(others.length)} more)`;
}

type QuarantineListFlags = EntryFlags & ListFlags & { readonly status?: QuarantineStatus };

function addList(quarantine: Command, session: Session): void {
  const command = quarantine.command('list').description('list held and released entries, newest first');
  const conditions = { status: quarantineStatusSchema.optional(), ...entryConditions };
  addListOptions(addEntryFlags(command, conditions)).action(
    async ({ status, ...flags }: QuarantineListFlags) => {
      await withStore(session, async (store) => {
        const filter = { ...selectedEntries(flags), ...(status && { status }) };
        const found = pages(flags.limit, (page) => store.quarantined(filter, { order: 'newest', ...page }));
        await writeList(session, viewed(found, quarantineView), {
          columns: entryColumns,
          json: flags.json,
          empty: 'No quarantine entry matches.',
        });
        const { quarantineDropped } = await store.statistics();
        if (quarantineDropped.verified + quarantineDropped.unverified > 0)
          await session.note(`Not shown: ${droppedText(quarantineDropped)}.`);
      });
    },
  );
}

function addShow(quarantine: Command, session: Session): void {
  quarantine
    .command('show')
    .description('show one entry: its body and every validation issue')
    .argument('<id>', 'for example q3')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (id: string, { unmask, json }: DetailFlags) => {
      const shown = { action: 'showQuarantineEntry', unmasked: true, subject: { id } };
      await operateOnStore(session, unmask ? shown : null, async (store) => {
        const entry = await orSee('portaria quarantine list', quarantineEntry(store, id));
        const view = quarantineDetailView(entry, { unmask, contract: await maskingContract(session) });
        await session.print(json ? JSON.stringify(view) : entryText(view));
      });
    });
}

function entryText(entry: QuarantineDetailView): string {
  const issues = entry.issues.map(({ path, message }) => `  ${path || '(whole body)'}: ${message}`);
  const parts = [
    fieldLines({
      entry: entry.id,
      status: entry.event_id === null ? entry.status : `${entry.status} as ${entry.event_id}`,
      reason: entry.reason,
      kind: entry.kind ?? 'unreadable',
      ...(entry.subject !== null && { subject: entry.subject }),
      source: entry.source,
      received: readableTime(entry.received_at),
      repeats: entry.repeats,
      'message id': messageIdText(entry),
      message: entry.message,
    }),
    ...(issues.length > 0 ? [`Issues\n${printable(issues.join('\n'))}`] : []),
    `Headers\n${indentedJson(entry.headers)}`,
    bodyText(entry),
  ];
  return parts.join('\n\n');
}

function bodyText(entry: QuarantineDetailView): string {
  const { body, body_encoding: encoding, body_bytes: bytes, masked } = entry;
  if (body === null)
    return `Body, ${String(bytes)} bytes\n  not JSON, so all of it is masked; --unmask shows it`;
  const how = masked ? 'personal data masked; --unmask shows it' : `as received, ${encoding}`;
  return `Body, ${String(bytes)} bytes (${how})\n${printable(body).replaceAll(/^/gm, '  ')}`;
}

interface ReleaseFlags extends EntryFlags, PlanFlags {
  readonly force: boolean;
  readonly includeOvertaken: boolean;
}

const releaseColumns: readonly Column<ReleaseView>[] = [
  { heading: 'id', value: (release) => release.id },
  { heading: 'outcome', value: (release) => release.outcome },
  { heading: 'kind', shrinks: true, value: (release) => release.kind },
  { heading: 'event', value: (release) => release.event_id },
  { heading: 'message', shrinks: true, value: (release) => release.message ?? overtakenText(release) },
];

function overtakenText({ overtaken }: ReleaseView): string | null {
  if (overtaken.length === 0) return null;
  const which = overtaken.map(({ handler, by }) => `${handler} (by ${by})`).join(', ');
  return `overtaken, so skipped for ${which}`;
}

function addRelease(quarantine: Command, session: Session): void {
  const command = quarantine
    .command('release')
    .description('validate held entries again, and store those that are valid now as events, in order')
    .argument('[ids...]', 'for example q3; or select them with flags (default: every held entry)');
  addOvertakenOption(addPlanOptions(addEntryFlags(command), { stages: true }))
    .option(
      '--force',
      'release named or selected entries that still do not match, as unrecognized events, and erased ones',
      false,
    )
    .option('--dry-run', 'the same as --plan', false)
    .option('-y, --yes', 'start a job without asking; a release at once asks nothing', false)
    .addOption(jsonOption())
    .action(async (ids: string[], flags: ReleaseFlags) => {
      const filter = selectedEntries(flags, ids);
      if (flags.force && Object.keys(filter).length === 0)
        throw new PortariaError(
          'invalid-argument',
          '--force needs the entries: name their ids, or select them with flags such as --kind',
        );
      if (flags.dryRun || asksForPlan(flags)) {
        if (flags.force)
          throw new PortariaError(
            'invalid-argument',
            '--force releases at once: leave out --plan, --dry-run and the flags of a job',
          );
        const { includeOvertaken } = flags;
        await runPlan(session, () => ({ action: 'release', entries: filter, includeOvertaken }), flags);
        return;
      }
      const subject = namedFilter({ ...filter, force: flags.force });
      const operation = { action: 'releaseQuarantine', subject };
      await operateOnStore(session, operation, async (store, config, addDetails) => {
        const registry = await requireRoutes(store, config, 'use POST /api/quarantine/release');
        const { contract } = registry;
        const releases = await releaseQuarantine(
          {
            store: withSettledAccept(store, { registry, clock: session.terminal.clock }),
            registry,
            parse: createParse(contract, config.onUnknownValue),
            identify: createIdentify(contract, keyedIds(await store.erasureKey())),
          },
          { filter, dryRun: false, force: flags.force, includeOvertaken: flags.includeOvertaken },
        );
        addDetails(releaseDetails(releases, filter.ids));
        await writeList(session, wholeList(releases), {
          columns: releaseColumns,
          json: flags.json,
          empty: 'No entry is held.',
        });
        // An entry that stays held is an error only if it was named.
        const held = releases.filter(({ outcome }) => outcome === 'held' || outcome === 'dropped').length;
        if (filter.ids !== undefined && held > 0)
          session.exitCode = held === releases.length ? exitCode.failed : exitCode.partial;
      });
    });
}

const columns: readonly Column<ProblemGroupView>[] = [
  { heading: 'problem', value: ({ problem }) => problem },
  { heading: 'reason', optional: true, value: ({ reason }) => reason },
  { heading: 'kind', shrinks: 'start', enough: 24, value: ({ kind }) => kind },
  { heading: 'path', value: ({ path }) => path },
  { heading: 'issue', shrinks: true, enough: 32, value: ({ message }) => message },
  { heading: 'entries', align: 'right', value: ({ entries }) => entries },
  { heading: 'subjects', align: 'right', optional: true, value: ({ subjects }) => subjects },
  { heading: 'repeats', align: 'right', optional: true, value: ({ repeats }) => repeats },
  { heading: 'last', value: (group) => readableTime(group.last_at) },
  { heading: 'sample', value: ({ sample }) => sample.id },
];

function addQuarantineProblems(quarantine: Command, session: Session): void {
  const command = quarantine
    .command('problems')
    .description('held entries by what was wrong, the last to arrive first')
    .addHelpText(
      'after',
      '\n`quarantine release --problem <problem> --plan` shows how many of a problem match the contract now.\n',
    );
  addListOptions(command).action(async ({ limit, json }: ListFlags) => {
    await withStore(session, async (store) => {
      const rows = (await store.problemGroups()).map(problemGroupView);
      await writeList(session, wholeList(rows, limit), { columns, json, empty: 'No entry is held.' });
    });
  });
}
