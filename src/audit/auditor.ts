/** Records what operators do, in the store and the log. */
import { failureReason } from '../kernel/failure-reason.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock, Cancel } from '../kernel/time/clock.ts';
import type { AuditLog, NewAuditEntry } from '../store/audit.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { auditText, entryOf, logText, type Operation, type OperationEnd } from './operation.ts';

/** A change that was recorded before it started. */
export interface StartedOperation {
  /** The id of its entry, `u` and a number. */
  readonly id: string;
  /** Records how it ended. Never throws: what was done stays done, and its entry then says `unfinished`. */
  end(end: OperationEnd): Promise<void>;
}

/**
 * The one place from which what operators do reaches the audit in the store and the log. Console, operators'
 * API and command line call it.
 */
export interface Auditor {
  /**
   * Records that a change starts.
   *
   * @throws PortariaError `store-*` when it cannot be recorded: the change must not be made
   */
  start(operation: Operation): Promise<StartedOperation>;
  /**
   * Records what is shown next, or was done.
   *
   * @throws PortariaError `store-*` when it cannot be recorded: personal data must not be shown
   */
  record(operation: Operation, end: OperationEnd): Promise<void>;
  /**
   * Records what must work on a full disk too, such as a sign-in. A failure is reported, not thrown. Repeats
   * within a minute share one more entry, with their number.
   */
  note(operation: Operation, end: OperationEnd): Promise<void>;
  /** Reports to the log alone what changes nothing, such as an invalid request. */
  report(operation: Operation, end: OperationEnd): void;
  /** Counts a rejected request; a flood of them writes a few entries a minute. */
  reject(operation: Operation, status: number): Promise<void>;
  /** Writes what was counted. */
  close(): Promise<void>;
}

export interface AuditorDeps {
  readonly store: Pick<AuditLog, 'appendAudit'>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export function createAuditor({ store, clock, telemetry }: AuditorDeps): Auditor {
  const rejections = createRejectionCounts(clock, writeOrReport);
  // Counted apart: a flood of rejections must not take the entries of sign-ins.
  const notes = createRejectionCounts(clock, writeOrReport);

  function report(operation: Operation, { result, status }: OperationEnd, audit: string | null = null): void {
    const { operator, action, subject, unmasked = false } = operation;
    telemetry.emit('operator.acted', {
      action,
      unmasked,
      subject: logText(subject),
      actor: operator.kind,
      address: operator.address,
      result,
      status: status ?? (result === 'done' ? 200 : 500),
      audit,
    });
  }

  async function write(entry: NewAuditEntry): Promise<string> {
    try {
      return await store.appendAudit(entry);
    } catch (error) {
      telemetry.emit('audit.failed', { action: entry.action, reason: failureReason(error) });
      if (!PortariaError.is(error)) throw error;
      throw new PortariaError(error.code, `${notRecorded(entry)}: ${error.message}`, { cause: error });
    }
  }

  async function writeOrReport(entry: NewAuditEntry): Promise<void> {
    await write(entry).catch(() => undefined);
  }

  async function record(operation: Operation, end: OperationEnd): Promise<void> {
    const id = await write(entryOf(operation, { at: clock.now(), result: end.result, status: end.status }));
    report(operation, end, id);
  }

  return {
    record,
    report,
    async start(operation) {
      const started = entryOf(operation, { at: clock.now(), result: 'unfinished' });
      const id = await write(started);
      return {
        id,
        async end(end) {
          const { result, status, details = {}, reason = null } = end;
          const ended = entryOf({ ...operation, reason }, { at: clock.now(), result, status });
          const subject = auditText(details);
          await writeOrReport({ ...ended, actor: null, address: null, ends: id, subject });
          report({ ...operation, subject: { ...operation.subject, ...details } }, end, id);
        },
      };
    },
    async note(operation, end) {
      report(operation, end);
      await notes.add(entryOf(operation, { at: clock.now(), result: end.result, status: end.status }));
    },
    async reject(operation, status) {
      report(operation, { result: 'rejected', status });
      await rejections.add(entryOf(operation, { at: clock.now(), result: 'rejected', status }));
    },
    async close() {
      await rejections.flush();
      await notes.flush();
    },
  };
}

function notRecorded({ unmasked, result }: NewAuditEntry): string {
  if (result === 'unfinished') return 'Nothing was changed, because the audit cannot record it';
  return unmasked
    ? 'Nothing is shown, because the audit cannot record it'
    : 'The audit cannot record what was done';
}

/** Milliseconds for which equal rejections are counted together. */
const WINDOW_MS = 60_000;

/** Groups of a window with entries of their own. All others share one, without an address. */
const MAX_GROUPS = 10;

/** Keeps the audit of rejected requests small, however many there are; and that of sign-ins. */
interface RejectionCounts {
  /** Counts a rejection. Only the first of its group in a minute is written at once; resolves after that. */
  add(entry: NewAuditEntry): Promise<void>;
  /** Writes what was counted. */
  flush(): Promise<void>;
}

interface Group {
  readonly entry: NewAuditEntry;
  /** Rejections after the first, which was written. */
  further: number;
}

/**
 * Counts rejected requests by place, address, action, actor and status. In a minute, each of the first ten
 * groups writes its first rejection at once and the number of others at the end; all other groups write one
 * number. So a flood writes 21 entries a minute, from one address two.
 *
 * @param write appends an entry; it must not throw
 */
function createRejectionCounts(
  clock: Clock,
  write: (entry: NewAuditEntry) => Promise<void>,
): RejectionCounts {
  let groups = new Map<string, Group>();
  let others: Group | undefined;
  let cancel: Cancel | undefined;

  async function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    const counted = [...groups.values(), ...(others === undefined ? [] : [others])];
    groups = new Map();
    others = undefined;
    for (const { entry, further } of counted)
      if (further > 0) await write({ ...entry, at: clock.now(), times: further });
  }

  return {
    async add(entry) {
      cancel ??= clock.after(WINDOW_MS, () => void flush());
      const key = JSON.stringify([entry.place, entry.address, entry.action, entry.actor, entry.status]);
      const known = groups.get(key);
      if (known !== undefined) known.further += 1;
      else if (groups.size < MAX_GROUPS) {
        groups.set(key, { entry, further: 0 });
        await write(entry);
      } else {
        const { place, action, result } = entry;
        others ??= {
          entry: { ...entry, place, action, result, address: null, actor: null, subject: {} },
          further: 0,
        };
        others.further += 1;
      }
    },
    flush,
  };
}
