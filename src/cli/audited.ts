import { hostname } from 'node:os';
import { isIP } from 'node:net';
import type { Act, ActSubject } from '../audit/act.ts';
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
export interface CommandAct extends Pick<Act, 'action' | 'subject' | 'unmasked' | 'reason'> {
  /** Whether it is a line on standard error, too, as actions at the private port are in the log. */
  readonly logged?: boolean;
}

/** Adds what a command has learned to its entry, such as an id; a result overrides that of the exit code. */
export type Learn = (learned: ActSubject, result?: 'done' | 'failed') => void;

/**
 * Opens the store and does something that the audit records before it begins, and with its result after it.
 *
 * @param act null for what changes nothing, such as a dry run
 * @throws PortariaError `store-*` when the audit cannot record it: nothing was done then
 */
export function actOnStore<T>(
  session: Session,
  act: CommandAct | null,
  use: (store: Store, config: Config, learn: Learn) => Promise<T>,
  contract?: Contract,
): Promise<T> {
  return withStore(
    session,
    (store, config) =>
      act === null
        ? use(store, config, () => undefined)
        : audited(session, store, act, (learn) => use(store, config, learn)),
    contract,
  );
}

/** Does what {@link actOnStore} does, in a store that is open. */
export async function audited<T>(
  session: Session,
  store: AuditLog,
  act: CommandAct,
  work: (learn: Learn) => Promise<T>,
): Promise<T> {
  const { auditor, close } = await auditorOf(session, store, act);
  try {
    const begun = await auditor.begin({ ...act, operator: operatorOf(session.terminal) });
    let learned: ActSubject = {};
    let result: 'done' | 'failed' | undefined;
    const end = (isDone: boolean): Promise<void> =>
      begun.end({ result: result ?? (isDone ? 'done' : 'failed'), status: null, learned });
    try {
      const value = await work((more, found) => {
        learned = { ...learned, ...more };
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
export async function noteAct(session: Session, store: AuditLog, act: CommandAct): Promise<void> {
  const { auditor, close } = await auditorOf(session, store, act);
  await auditor.note({ ...act, operator: operatorOf(session.terminal) }, { result: 'done', status: null });
  close();
}

/** The conditions of a filter by name, for the audit. */
export function namedFilter(filter: object): ActSubject {
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
  { logged = false }: CommandAct,
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
export function operatorOf({ user, env }: Pick<Terminal, 'user' | 'env'>): Act['operator'] {
  const behind = user === 'root' ? env['SUDO_USER'] : undefined;
  const name = behind === undefined ? `${user}@${hostname()}` : `${behind}@${hostname()} as ${user}`;
  const [client = ''] = (env['SSH_CONNECTION'] ?? '').split(' ');
  return { place: 'command-line', name, kind: 'command-line', address: isIP(client) === 0 ? null : client };
}
