/** A machine's state of a subject. */
import { subjectName, type Subject } from '../../event/subject.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { MAX_ANOMALIES, type MachineStates } from '../../store/machine-states.ts';
import { machineDetailView, type MachineDetailView } from '../../view/machine-view.ts';
import type { Masking } from '../../view/payload/unmasking.ts';

export interface MachineRequest extends Masking {
  readonly machine: string;
  readonly subject: Subject;
  /** Required only when several sources have the subject. */
  readonly source?: string;
}

/**
 * Reads a machine's state of a subject, with its anomalies.
 *
 * @throws PortariaError `not-found`; `invalid-argument` when several sources
 *   have the subject and none is given
 */
export async function machineDetail(
  store: Pick<MachineStates, 'listMachineStates' | 'anomalies'>,
  { machine, subject, source, unmask, contract }: MachineRequest,
): Promise<MachineDetailView> {
  const filter = { machine, subject, ...(source !== undefined && { source }) };
  const [state, ...others] = await store.listMachineStates({ ...filter, limit: 1000 });
  if (state === undefined)
    throw new PortariaError('not-found', `Machine ${machine} has no state of ${subjectName(subject)}`);
  if (others.length > 0) {
    const sources = [state, ...others].map((each) => each.source).join(', ');
    const message = `several sources have ${subjectName(subject)}; name one of: ${sources}`;
    throw new PortariaError('invalid-argument', `Which source? ${message}`, {
      problems: [{ where: 'source', message }],
    });
  }
  const anomalies = await store.anomalies(machine, state.source, subject, MAX_ANOMALIES);
  return machineDetailView(state, anomalies, { unmask, contract });
}
