/** `portaria reconcile`: compares the provider's records with the newest events, and repairs what differs. */
import { type Command, Option } from 'commander';
import type { Client } from '../../client/client.ts';
import { ClientError } from '../../client/client-error.ts';
import type { Config } from '../../config/config.ts';
import { withDefinedSources } from '../../config/defined-sources.ts';
import { sections, type Family } from '../../contract/family.ts';
import { parseSubjectName } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { countOf } from '../../kernel/text/count.ts';
import { pause } from '../../kernel/time/pause.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { loadProviderApi } from '../../load-provider-api.ts';
import { heldSubjects } from '../../reconcile/held-subjects.ts';
import { LookFailed } from '../../reconcile/judge-subject.ts';
import {
  lookAtFamily,
  lookAtSubject,
  type FamilyLook,
  type LookDeps,
} from '../../reconcile/look-at-family.ts';
import { handlersOfRepair, repairSelection } from '../../reconcile/repair-selection.ts';
import { comparedFamilies, recordLists } from '../../reconcile/record-lists.ts';
import type { Store } from '../../store/store.ts';
import { differenceView, type SubjectDifferenceView } from '../../reconcile/difference-view.ts';
import { exitCode } from '../exit-code.ts';
import { listenForInterrupt } from '../interruption.ts';
import { knownHandlers } from '../known-handlers.ts';
import { jsonOption, unmaskOption } from '../options/list-options.ts';
import { repeatable } from '../options/repeatable.ts';
import { momentParser } from '../options/event-filter.ts';
import { addPaceOptions, type RunFlags } from './jobs/plan-options.ts';
import { runPlan } from './jobs/run-plan.ts';
import type { PlanRequest } from '../../jobs/plan-request.ts';
import type { RepairSelection } from '../../store/jobs.ts';
import { createProgress } from '../output/progress.ts';
import { wholeList } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import type { Session } from '../session.ts';
import { withStore } from '../with-store.ts';

const columns: readonly Column<SubjectDifferenceView>[] = [
  { heading: 'subject', value: ({ subject }) => subject },
  { heading: 'outcome', value: ({ outcome }) => outcome },
  { heading: 'changed', value: ({ changed_at: at }) => at ?? '' },
  { heading: 'differs in', shrinks: true, value: ({ fields }) => fields.map(fieldText).join(', ') },
  { heading: 'quarantined', value: ({ quarantined }) => quarantined ?? '' },
  { heading: 'would run', optional: true, value: ({ handlers }) => handlers.join(', ') },
];

interface ReconcileFlags extends RunFlags {
  readonly source: string;
  readonly family?: readonly string[];
  readonly subject?: readonly string[];
  readonly since?: number;
  readonly repair: boolean;
  readonly handlers?: RepairSelection['handlers'];
  readonly unmask: boolean;
}

export function addReconcile(program: Command, session: Session): void {
  const command = program
    .command('reconcile')
    .description(
      "compare the provider's records with the newest events of their subjects; repair what differs",
    )
    .option('--family <name>', `only this family of ${comparedFamilies.join(', ')}; repeatable`, repeatable)
    .option('--subject <family:id>', 'only this subject; repeatable', repeatable)
    .option('--source <name>', 'the source whose API and events are compared', 'default')
    .option(
      '--since <time>',
      'take known records as equal that the provider has not changed since, where they have a time, e.g. 2h',
      momentParser(session.terminal.clock),
    )
    .option('--repair', 'send what differs the way of a webhook, as a job of the serving process', false)
    .addOption(
      new Option(
        '--handlers <who>',
        'who hears of a repair: none, machines, or all (default: all, and machines while only repairs have filled the source)',
      ).choices(['none', 'machines', 'all']),
    )
    .option('--plan', 'show what a repair would do; change nothing', false)
    .option('--dry-run', 'the same', false)
    .option('-y, --yes', 'start a repair without asking', false)
    .addOption(unmaskOption())
    .addOption(jsonOption());
  addPaceOptions(command, { stages: true })
    .addHelpText(
      'after',
      `
missed    the provider has it, and no webhook of it came
behind    the provider's record is newer than the newest event
removed   the provider no longer has it, and no webhook said so
withheld  the provider does not show it (403), as for an inactive link
overtaken an event of it came while the provider was read; look again
ahead     the newest event is newer than the record
unknown   its newest event has no content to compare with

--rate bounds the requests of the comparison, too.
Logins and driver indications are not compared: the API has no list of them.
Exit code 0: nothing differs, or a repair ended well; 6: something differs; 1: the provider could not be read.
`,
    )
    .action((flags: ReconcileFlags) => reconcile(session, flags));
}

async function reconcile(session: Session, flags: ReconcileFlags): Promise<void> {
  const looks = chosenLooks(flags);
  const settings = session.configWithApi();
  const { registry } = await withStore(session, (store) => knownHandlers(store, settings));
  const client = await clientOf(session, withDefinedSources(settings, registry.contract.sources), flags);
  const { signal, release } = listenForInterrupt(session.terminal);
  const done: FamilyLook[] = [];
  const failed: string[] = [];
  const unrepaired: Look[] = [];
  try {
    await withStore(
      session,
      async (store) => {
        const deps = {
          ...{ client, store, contract: registry.contract, source: flags.source, signal },
          clock: session.terminal.clock,
          pace: async () => {
            if (flags.rate !== undefined) await pause(session.terminal.clock, 1_000 / flags.rate, signal);
          },
        };
        for (const [at, look] of looks.entries()) {
          try {
            const found = await lookAt(session, deps, look, flags);
            done.push(found);
            if (flags.repair && found.differences.length > 0) unrepaired.push(look);
          } catch (error) {
            if (signal.aborted) {
              const open = [...unrepaired, ...looks.slice(at)];
              await session.note(`Interrupted. To go on: portaria reconcile ${commandOf(flags, open)}`);
              session.exitCode = exitCode.interrupted;
              break;
            }
            if (!(error instanceof LookFailed) && !ClientError.is(error)) throw error;
            failed.push(look.family);
            await session.note(`${look.family}: could not look: ${error.message}`);
          }
        }
        await writeList(session, wholeList(await views(store, registry, done, flags)), {
          columns,
          json: flags.json,
        });
        if (!flags.json) await session.print(summary(done, failed, looks));
        if (signal.aborted) return;
        if (failed.length > 0) session.exitCode = exitCode.failed;
        else if (done.some(({ differences }) => differences.length > 0))
          session.exitCode = exitCode.attention;
      },
      { contract: registry.contract },
    );
  } finally {
    release();
  }
  if (signal.aborted || !(flags.repair || flags.plan || flags.dryRun)) return;
  session.exitCode = failed.length > 0 ? exitCode.failed : exitCode.ok;
  const request = async (store: Store): Promise<PlanRequest> => {
    const { repair, left } = await repairSelection(store, done, flags);
    if (left > 0)
      await session.note(`${countOf(left, 'subject')} more than one repair takes: run it again for those.`);
    return { action: 'repair', repair };
  };
  await runPlan(session, request, flags);
}

/**
 * Each source may be another organization, with ids of its own: none is asked for another.
 *
 * @throws PortariaError `misconfigured` for a source without an API
 */
async function clientOf(
  { terminal: { clock, random } }: Session,
  config: Config,
  { source }: ReconcileFlags,
): Promise<Client> {
  const isDefault = source === 'default';
  const isSet = config.sources.get(source)?.api !== undefined || (isDefault && config.api !== null);
  const api = isSet
    ? await loadProviderApi(config, { clock, random, telemetry: { emit: () => undefined } })
    : null;
  const client = api?.client(source);
  if (client) return client;
  const where = isDefault ? 'PORTARIA_API_URL' : `PORTARIA_SOURCES.${source}.apiUrl`;
  const key = isDefault ? 'PORTARIA_API_KEY' : 'apiKey';
  throw new PortariaError('misconfigured', 'reconcile reads the API of the provider', {
    problems: [{ where, message: `is not set; set it and ${key}` }],
  });
}

/** A family, or one subject of it. */
interface Look {
  readonly family: Family;
  readonly id?: string;
}

/** @throws PortariaError `invalid-argument` */
function chosenLooks({ family: families, subject: subjects }: ReconcileFlags): readonly Look[] {
  const looks = [...new Set(subjects)].map((name): Look => {
    const subject = parseSubjectName(name);
    if (subject !== undefined) return { family: known('--subject', subject.family), id: subject.id };
    throw new PortariaError('invalid-argument', `--subject ${name} must be a family and an id: charge:12`);
  });
  if (families === undefined)
    return looks.length > 0 ? looks : comparedFamilies.map((family) => ({ family }));
  const others = looks.filter(({ family }) => !families.includes(family));
  return [...new Set(families)].map((family): Look => ({ family: known('--family', family) })).concat(others);
}

function known(flag: string, family: string): Family {
  const found = comparedFamilies.find((each) => each === family);
  if (found !== undefined) return found;
  throw new PortariaError(
    'invalid-argument',
    `${flag} ${family}: the API has no list of it; the families are ${comparedFamilies.join(', ')}`,
  );
}

/** The flags of a command that goes on with these. */
function commandOf(
  { source, rate, since, repair, handlers, unmask, json }: ReconcileFlags,
  looks: readonly Look[],
): string {
  return [
    ...(since === undefined ? [] : [`--since ${new Date(since).toISOString()}`]),
    ...(repair ? ['--repair'] : []),
    ...(handlers === undefined ? [] : [`--handlers ${handlers}`]),
    `--source ${source}`,
    ...(rate === undefined ? [] : [`--rate ${String(rate)}`]),
    ...(unmask ? ['--unmask'] : []),
    ...(json ? ['--json'] : []),
    ...looks.map(({ family, id }) => (id === undefined ? `--family ${family}` : `--subject ${family}:${id}`)),
  ].join(' ');
}

async function lookAt(
  { terminal }: Session,
  deps: Omit<LookDeps, 'report'>,
  { family, id }: Look,
  { since }: ReconcileFlags,
): Promise<FamilyLook> {
  const earlier = since === undefined ? undefined : { since, differed: new Set<string>() };
  const progress = createProgress(terminal, family);
  const report = (read: number, total: number): void => {
    progress.update(read, total, '');
  };
  try {
    return await (id === undefined
      ? lookAtFamily({ ...deps, report }, family, earlier)
      : lookAtSubject(deps, family, id));
  } finally {
    progress.stop();
  }
}

async function views(
  store: Store,
  registry: Registry,
  looks: readonly FamilyLook[],
  { unmask, source }: ReconcileFlags,
): Promise<readonly SubjectDifferenceView[]> {
  const all: SubjectDifferenceView[] = [];
  for (const { family, differences } of looks) {
    if (differences.length === 0) continue;
    const { contract } = registry;
    const held = await heldSubjects(store, source, family);
    for (const found of differences) {
      const handlers = handlersOfRepair(registry, { family, source, outcome: found.outcome });
      const id = parseSubjectName(found.subject)?.id ?? '';
      const about = { family, source, contract, held: held.get(id), handlers };
      all.push(differenceView(found, about, { unmask }));
    }
  }
  return all;
}

function fieldText({ path, ours, theirs }: SubjectDifferenceView['fields'][number]): string {
  return `${path} ${JSON.stringify(ours)} -> ${JSON.stringify(theirs)}`;
}

function summary(done: readonly FamilyLook[], failed: readonly string[], looks: readonly Look[]): string {
  const sum = (of: (look: FamilyLook) => number): number => done.reduce((all, look) => all + of(look), 0);
  const differ = sum(({ differences }) => differences.length);
  const lines = [
    `${countOf(
      sum(({ subjects }) => subjects),
      'subject',
    )}: ${String(sum(({ equal }) => equal))} equal, ${String(differ)} not.`,
  ];
  if (failed.length > 0) lines.push(`Could not look: ${failed.join(', ')}.`);
  if (looks.length === comparedFamilies.length) lines.push(`Not checked: ${notChecked.join(', ')}.`);
  return lines.join('\n');
}

const notChecked = Object.keys(sections).filter((family) => recordLists[family as Family] === undefined);
