import { failureReason } from '../kernel/failure-reason.ts';
import { PortariaError } from '../kernel/errors.ts';
import type { Clock } from '../kernel/time/clock.ts';
import type { AuditLog, NewAuditEntry } from '../store/audit.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { auditText, entryOf, logText, type Act, type ActEnd } from './act.ts';
import { createRejectionCounts } from './count-rejections.ts';

/** A change that was recorded before it began. */
export interface BegunAct {
  /** The id of its entry, `u` and a number. */
  readonly id: string;
  /** Records how it ended. Never throws: what was done stays done, and its entry then says `unfinished`. */
  end(end: ActEnd): Promise<void>;
}

/**
 * The one place from which what operators do reaches the audit in the store and the log. Console, operators'
 * API and command line call it.
 */
export interface Auditor {
  /**
   * Records that a change begins.
   *
   * @throws PortariaError `store-*` when it cannot be recorded: the change must not be made
   */
  begin(act: Act): Promise<BegunAct>;
  /**
   * Records what is shown next, or was done.
   *
   * @throws PortariaError `store-*` when it cannot be recorded: personal data must not be shown
   */
  record(act: Act, end: ActEnd): Promise<void>;
  /**
   * Records what must work on a full disk too, such as a sign-in. A failure is reported, not thrown. Whoever
   * repeats it within a minute gets one more entry, with their number.
   */
  note(act: Act, end: ActEnd): Promise<void>;
  /** Reports to the log alone what changes nothing, such as an invalid request. */
  report(act: Act, end: ActEnd): void;
  /** Counts a rejected request; a flood of them writes a few entries a minute. */
  reject(act: Act, status: number): Promise<void>;
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
  // Apart from the rejections, a flood of which would leave no sign-in an entry of its own.
  const notes = createRejectionCounts(clock, writeOrReport);

  function report(act: Act, { result, status }: ActEnd, audit: string | null = null): void {
    const { operator, action, subject, unmasked = false } = act;
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

  async function record(act: Act, end: ActEnd): Promise<void> {
    const id = await write(entryOf(act, { at: clock.now(), result: end.result, status: end.status }));
    report(act, end, id);
  }

  return {
    record,
    async begin(act) {
      const begun = entryOf(act, { at: clock.now(), result: 'unfinished' });
      const id = await write(begun);
      return {
        id,
        async end(end) {
          const { result, status, learned = {} } = end;
          const ended = { at: clock.now(), result, status, ends: id, subject: auditText(learned) };
          await writeOrReport({ ...begun, actor: null, address: null, reason: null, ...ended });
          report({ ...act, subject: { ...act.subject, ...learned } }, end, id);
        },
      };
    },
    async note(act, end) {
      report(act, end);
      await notes.add(entryOf(act, { at: clock.now(), result: end.result, status: end.status }));
    },
    report(act, end) {
      report(act, end);
    },
    async reject(act, status) {
      report(act, { result: 'rejected', status });
      await rejections.add(entryOf(act, { at: clock.now(), result: 'rejected', status }));
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
