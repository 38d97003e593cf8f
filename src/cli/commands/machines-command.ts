/** `portaria machines`: lists, shows and rebuilds the states of state machines. */
import type { Command } from 'commander';
import type { Config } from '../../config/config.ts';
import { subjectName, type Subject } from '../../event/subject.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { printable } from '../../kernel/text/printable.ts';
import { loadRegistry } from '../../load-registry.ts';
import { machineDetail } from '../../operate/show/machine-detail.ts';
import { rebuildMachines } from '../../operate/change/rebuild-machines.ts';
import type { Store } from '../../store/store.ts';
import { rebuildDetails } from '../../view/change-details.ts';
import { type MachineDetailView, type MachineView, machineView } from '../../view/machine-view.ts';
import type { RebuildView } from '../../view/operation-views.ts';
import { operateOnStore, namedFilter, type AddDetails } from '../audited.ts';
import { exitCode } from '../exit-code.ts';
import { ownerText, requireMachine } from '../known-handlers.ts';
import {
  addListOptions,
  jsonOption,
  unmaskOption,
  type DetailFlags,
  type ListFlags,
} from '../options/list-options.ts';
import { parseSubject } from '../options/conditions.ts';
import { fieldLines, indentedJson, readableTime, readableVersion, versionInFull } from '../output/format.ts';
import { inPages, limitedList, viewed } from '../output/pages.ts';
import type { Column } from '../output/table.ts';
import { writeList } from '../output/write-list.ts';
import { knownContract } from '../known-contract.ts';
import type { Session } from '../session.ts';
import { notFound, orSee, withStore } from '../with-store.ts';

export function addMachines(program: Command, session: Session): void {
  const machines = program.command('machines').description('the state of each state machine, by subject');
  addList(machines, session);
  addShow(machines, session);
  addRebuild(machines, session);
}

interface MachineFlags extends ListFlags {
  readonly machine?: string;
  readonly subject?: Subject;
  readonly source?: string;
  readonly anomalous?: true;
}

const machineColumns: readonly Column<MachineView>[] = [
  { heading: 'updated', optional: true, value: (state) => readableTime(state.updated_at) },
  { heading: 'machine', value: (state) => state.machine },
  { heading: 'subject', value: (state) => state.subject },
  { heading: 'state', shrinks: true, value: (state) => state.phases.join(', ') },
  { heading: 'source', shrinks: true, optional: true, value: (state) => state.source },
  { heading: 'last event', optional: true, value: (state) => state.last_event_id },
  { heading: 'version', shrinks: true, optional: true, value: (state) => readableVersion(state.version) },
  { heading: 'revision', align: 'right', optional: true, value: (state) => state.revision },
  { heading: 'anomalies', align: 'right', value: (state) => state.anomalies },
];

function addList(machines: Command, session: Session): void {
  const command = machines
    .command('list')
    .description('list machine states, by machine, and in the order in which their subjects first came')
    .option('--machine <name>', 'of this machine')
    .option('--subject <family:id>', 'of this subject', parseSubject)
    .option('--source <name>', 'of subjects from this source')
    .option('--anomalous', 'only states with anomalies: impossible transitions that the machine saw');
  addListOptions(command).action(async ({ json, limit, ...filter }: MachineFlags) => {
    await withStore(session, async (store, config) => {
      await requireMachine(store, config, filter.machine);
      const found = limitedList(limit, (max) => store.listMachineStates({ ...filter, limit: max }));
      await writeList(session, viewed(found, machineView), {
        columns: machineColumns,
        json,
        empty: 'No machine state matches.',
      });
    });
  });
}

interface ShowFlags extends DetailFlags {
  readonly source?: string;
}

function addShow(machines: Command, session: Session): void {
  machines
    .command('show')
    .description('show the state of a machine for a subject, and its anomalies')
    .argument('<machine>', 'for example login-attempt')
    .argument('<subject>', 'family:id, for example company-login:12', parseSubject)
    .option('--source <name>', 'the source of the subject; required if several sources have it')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (machine: string, subject: Subject, { json, ...flags }: ShowFlags) => {
      const shown = {
        action: 'showMachine',
        unmasked: true,
        subject: { machine, subject: subjectName(subject) },
      };
      await operateOnStore(session, flags.unmask ? shown : null, async (store) => {
        const request = { machine, subject, ...flags, contract: await knownContract(session) };
        const state = await orSee('portaria machines list', machineDetail(store, request));
        await session.print(json ? JSON.stringify(state) : machineText(state));
      });
    });
}

function machineText(state: MachineDetailView): string {
  const anomalies = state.anomalies.map(({ event_id: event, message }) => `  ${event}: ${message}`);
  const masked = state.masked ? ' (personal data masked; --unmask shows it)' : '';
  return [
    fieldLines({
      machine: state.machine,
      subject: state.subject,
      source: state.source,
      version: versionInFull(state.version),
      'last event': state.last_event_id,
      revision: state.revision,
      updated: readableTime(state.updated_at),
    }),
    `State${masked}\n${indentedJson(state.state)}`,
    `Anomalies\n${printable(anomalies.join('\n')) || '  none'}`,
  ].join('\n\n');
}

interface RebuildFlags {
  readonly subject?: Subject;
  readonly source?: string;
  readonly dryRun: boolean;
  readonly json: boolean;
}

const rebuildColumns: readonly Column<RebuildView>[] = [
  { heading: 'machine', value: (rebuild) => rebuild.machine },
  { heading: 'subject', value: (rebuild) => rebuild.subject },
  { heading: 'source', shrinks: true, value: (rebuild) => rebuild.source },
  { heading: 'outcome', value: (rebuild) => rebuild.outcome },
  { heading: 'events', align: 'right', value: (rebuild) => rebuild.events },
  { heading: 'anomalies', align: 'right', value: (rebuild) => rebuild.anomalies },
  { heading: 'message', shrinks: true, value: (rebuild) => rebuild.message },
];

function addRebuild(machines: Command, session: Session): void {
  machines
    .command('rebuild')
    .description('fold all stored events again, after the machine was changed; runs no effects')
    .argument('[machine]', 'for example login-attempt (default: every machine)')
    .option('--subject <family:id>', 'only this subject', parseSubject)
    .option('--source <name>', 'only subjects from this source')
    .option('--dry-run', 'compute the states and say which would change; change nothing', false)
    .addOption(jsonOption())
    .action(async (machine: string | undefined, { json, ...flags }: RebuildFlags) => {
      const registry = await loadRegistry(session.config());
      const rebuild = async (store: Store, _config: Config, addDetails: AddDetails): Promise<void> => {
        await rejectForeignMachine(store, registry, machine);
        const { clock } = session.terminal;
        const outcomes: RebuildView['outcome'][] = [];
        async function* rebuilds(): AsyncGenerator<RebuildView> {
          const request = { ...flags, ...(machine !== undefined && { machine }) };
          for await (const rebuild of rebuildMachines({ store, registry, clock }, request)) {
            outcomes.push(rebuild.outcome);
            yield rebuild;
          }
        }
        const count = await writeList(session, inPages(rebuilds()), {
          columns: rebuildColumns,
          json,
          empty: 'No machine has events to fold.',
        });
        addDetails(rebuildDetails(outcomes));
        if (count === 0 && flags.subject !== undefined)
          notFound('state to rebuild for', subjectName(flags.subject), 'portaria machines list');
        const failed = outcomes.filter((outcome) => outcome === 'failed').length;
        if (failed > 0) session.exitCode = failed === count ? exitCode.failed : exitCode.partial;
      };
      const { subject, source } = flags;
      const operation = { action: 'rebuildMachines', subject: namedFilter({ machine, subject, source }) };
      await operateOnStore(session, flags.dryRun ? null : operation, rebuild, registry.contract);
    });
}

/**
 * A rebuild runs a machine's code, which is not here if an application that embeds the library has it.
 *
 * @throws PortariaError `invalid-argument`
 */
async function rejectForeignMachine(
  store: Pick<Store, 'processes'>,
  { definitions }: Registry,
  name: string | undefined,
): Promise<void> {
  if (name === undefined || definitions.some((each) => each.name === name)) return;
  const processes = (await store.processes()).filter(({ handlers }) =>
    handlers.some((each) => each.name === name && each.type === 'machine'),
  );
  if (processes.length === 0) return;
  throw new PortariaError(
    'invalid-argument',
    `${name} is a machine of ${ownerText(processes)}, and its code is not in PORTARIA_HANDLERS: set PORTARIA_HANDLERS to the folder that defines it, or post to /api/machines/rebuild on the private port of that process`,
  );
}
