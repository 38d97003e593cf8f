/** Records commands in the audit. */
import { hostname } from 'node:os';
import { isIP } from 'node:net';
import type { Operation, OperationSubject } from '../audit/operation.ts';
import { createAuditor, type Auditor } from '../audit/auditor.ts';
import type { Config } from '../config/config.ts';
import type { Contract } from '../contract/contract.ts';
import { subjectName, type Subject } from '../event/subject.ts';
import type { AuditLog } from '../store/audit.ts';
import type { Store } from '../store/store.ts';
import type { Telemetry, TelemetryEvents } from '../telemetry/telemetry.ts';
import { instantText } from '../view/instant-text.ts';
import { exitCode } from './exit-code.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal/terminal.ts';
import { write } from './terminal/text-output.ts';
import { withStore } from './with-store.ts';

/** What a command does, for the audit. */
export interface CommandOperation extends Pick<Operation, 'action' | 'subject' | 'unmasked' | 'reason'> {
  /** Whether standard error names its entry: evidence that somebody will look for. */
  readonly announced?: boolean;
}

/** Adds details that a command finds, such as an id, to its entry; a result overrides that of the exit code. */
export type AddDetails = (details: OperationSubject, result?: 'done' | 'failed') => void;

/**
 * Opens the store and does something that the audit records before it starts, and with its result after it.
 *
 * @param operation null for what changes nothing, such as a dry run
 * @throws PortariaError `store-*` when the audit cannot record it: nothing was done then
 */
export function operateOnStore<T>(
  session: Session,
  operation: CommandOperation | null,
  use: (store: Store, config: Config, addDetails: AddDetails) => Promise<T>,
  contract?: Contract,
): Promise<T> {
  return withStore(
    session,
    (store, config) =>
      operation === null
        ? use(store, config, () => undefined)
        : audited(session, store, operation, (addDetails) => use(store, config, addDetails)),
    { contract },
  );
}

/** Does what {@link operateOnStore} does, in a store that is open. */
export async function audited<T>(
  session: Session,
  store: AuditLog,
  operation: CommandOperation,
  work: (addDetails: AddDetails) => Promise<T>,
): Promise<T> {
  const auditor = auditorOf(session, store);
  const started = await auditor.start({ ...operation, operator: operatorOf(session.terminal) });
  let details: OperationSubject = {};
  let result: 'done' | 'failed' | undefined;
  const end = async (isDone: boolean): Promise<void> => {
    await started.end({ result: result ?? (isDone ? 'done' : 'failed'), status: null, details });
    if (operation.announced === true) await session.note(`Recorded in the audit as ${started.id}.`);
  };
  try {
    const value = await work((more, found) => {
      details = { ...details, ...more };
      result = found ?? result;
    });
    await end(session.exitCode === exitCode.ok || session.exitCode === exitCode.partial);
    return value;
  } catch (error) {
    result = 'failed';
    await end(false);
    throw error;
  }
}

/** Records what is done already and must be possible on a full disk, as far as the disk allows. */
export async function noteOperation(
  session: Session,
  store: AuditLog,
  operation: CommandOperation,
): Promise<void> {
  await auditorOf(session, store).note(
    { ...operation, operator: operatorOf(session.terminal) },
    { result: 'done', status: null },
  );
}

/** The conditions of a filter by name, for the audit. */
export function namedFilter(filter: object): OperationSubject {
  const given = Object.entries(filter).filter(
    ([, value]: [string, unknown]) => value !== undefined && value !== false,
  );
  return Object.fromEntries(given.map(([name, value]) => [name, valueText(name, value)]));
}

function valueText(name: string, value: unknown): string | readonly string[] {
  if (Array.isArray(value)) return value.map((each) => String(valueText(name, each)));
  if (typeof value === 'number' && (name === 'since' || name === 'until')) return instantText(value);
  return typeof value === 'object' && value !== null ? subjectName(value as Subject) : String(value);
}

/** A command has no log: its audit is in the store, and what the store cannot record is a warning. */
function auditorOf({ terminal: { clock, err } }: Session, store: AuditLog): Auditor {
  const telemetry: Telemetry = {
    emit(name, fields) {
      if (name !== 'audit.failed') return;
      const { action, reason } = fields as TelemetryEvents['audit.failed'];
      write(err, `warning: the audit did not record ${action}: ${reason}\n`);
    },
  };
  return createAuditor({ store, clock, telemetry });
}

/** One name for one person: in the audit, and of what they started. */
export function operatorName({ user, env }: Pick<Terminal, 'user' | 'env'>): string {
  const behind = user === 'root' ? env['SUDO_USER'] : undefined;
  return behind === undefined ? `${user}@${hostname()}` : `${behind}@${hostname()} as ${user}`;
}

/** The user of the operating system and the host. `sudo` and `ssh` say who and where that is. */
export function operatorOf({ user, env }: Pick<Terminal, 'user' | 'env'>): Operation['operator'] {
  const [client = ''] = (env['SSH_CONNECTION'] ?? '').split(' ');
  return {
    place: 'command-line',
    name: operatorName({ user, env }),
    kind: 'command-line',
    address: isIP(client) === 0 ? null : client,
  };
}
