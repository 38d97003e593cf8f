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
import { createLogger } from '../telemetry/create-logger.ts';
import { createLogSubscriber } from '../telemetry/log-subscriber.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { instantText } from '../view/instant-text.ts';
import { exitCode } from './exit-code.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal/terminal.ts';
import { withStore } from './with-store.ts';

/** What a command does, for the audit. */
export interface CommandOperation extends Pick<Operation, 'action' | 'subject' | 'unmasked' | 'reason'> {
  /** Whether it is a line on standard error, too, as actions at the private port are in the log. */
  readonly logged?: boolean;
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
    contract,
  );
}

/** Does what {@link operateOnStore} does, in a store that is open. */
export async function audited<T>(
  session: Session,
  store: AuditLog,
  operation: CommandOperation,
  work: (addDetails: AddDetails) => Promise<T>,
): Promise<T> {
  const { auditor, close } = await auditorOf(session, store, operation);
  try {
    const started = await auditor.start({ ...operation, operator: operatorOf(session.terminal) });
    let details: OperationSubject = {};
    let result: 'done' | 'failed' | undefined;
    const end = (isDone: boolean): Promise<void> =>
      started.end({ result: result ?? (isDone ? 'done' : 'failed'), status: null, details });
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
  } finally {
    close();
  }
}

/** Records what is done already and must be possible on a full disk, as far as the disk allows. */
export async function noteOperation(
  session: Session,
  store: AuditLog,
  operation: CommandOperation,
): Promise<void> {
  const { auditor, close } = await auditorOf(session, store, operation);
  await auditor.note(
    { ...operation, operator: operatorOf(session.terminal) },
    { result: 'done', status: null },
  );
  close();
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

async function auditorOf(
  session: Session,
  store: AuditLog,
  { logged = false }: CommandOperation,
): Promise<{ readonly auditor: Auditor; readonly close: () => void }> {
  const { clock } = session.terminal;
  const log = logged ? await openLog(session) : null;
  const telemetry: Telemetry = { emit: (name, fields) => log?.report(name, fields) };
  return { auditor: createAuditor({ store, clock, telemetry }), close: () => log?.close() };
}

async function openLog(session: Session): Promise<ReturnType<typeof createLogSubscriber>> {
  const { err, clock } = session.terminal;
  const { log } = session.config();
  const logger = await createLogger({
    level: log.level,
    format: log.format ?? (err.isTerminal ? 'pretty' : 'json'),
    isTerminal: err.isTerminal,
    destination: err.stream,
  });
  return createLogSubscriber(logger, { clock, isVerified: () => true });
}

/** The user of the operating system and the host. `sudo` and `ssh` say who and where that is. */
export function operatorOf({ user, env }: Pick<Terminal, 'user' | 'env'>): Operation['operator'] {
  const behind = user === 'root' ? env['SUDO_USER'] : undefined;
  const name = behind === undefined ? `${user}@${hostname()}` : `${behind}@${hostname()} as ${user}`;
  const [client = ''] = (env['SSH_CONNECTION'] ?? '').split(' ');
  return { place: 'command-line', name, kind: 'command-line', address: isIP(client) === 0 ? null : client };
}
