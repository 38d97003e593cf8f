import type { Command } from 'commander';
import type { Subject } from '../../../event/subject.ts';
import { machineDetail } from '../../../operate/machine-detail.ts';
import type { MachineDetailView } from '../../../view/machine-view.ts';
import { jsonOption } from '../../options/list-options.ts';
import { parseSubject } from '../../options/subject.ts';
import { unmaskOption, type DetailFlags } from '../../options/unmask-option.ts';
import { fieldLines } from '../../output/field-lines.ts';
import { indentedJson } from '../../output/indented-json.ts';
import { printable } from '../../../kernel/text/printable.ts';
import { readableTime } from '../../output/readable-time.ts';
import type { Session } from '../../session.ts';
import { withStore } from '../../with-store.ts';

interface ShowFlags extends DetailFlags {
  readonly source?: string;
}

export function addMachinesShow(machines: Command, session: Session): void {
  machines
    .command('show')
    .description('what a machine knows of a subject, and the impossible moves it saw')
    .argument('<machine>', 'for example login-attempt')
    .argument('<subject>', 'family:id, for example company-login:12', parseSubject)
    .option('--source <name>', 'where the subject comes from; needed when several sources have it')
    .addOption(unmaskOption())
    .addOption(jsonOption())
    .action(async (machine: string, subject: Subject, { json, ...flags }: ShowFlags) => {
      await withStore(session, async (store) => {
        const state = await machineDetail(store, { machine, subject, ...flags });
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
      version: state.version ?? 'none',
      'last event': state.last_event_id,
      revision: state.revision,
      updated: readableTime(state.updated_at),
    }),
    `State${masked}\n${indentedJson(state.state)}`,
    `Anomalies\n${printable(anomalies.join('\n')) || '  none'}`,
  ].join('\n\n');
}
