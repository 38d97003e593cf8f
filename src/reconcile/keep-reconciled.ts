/** Looks at the provider's records from time to time while a process serves. */
import { ClientError } from '../client/client-error.ts';
import type { Client } from '../client/client.ts';
import type { Cooldown } from '../confirm/cooldown.ts';
import type { Family } from '../contract/family.ts';
import { parseSubjectName } from '../event/subject.ts';
import { failureReason } from '../kernel/failure-reason.ts';
import type { Cancel } from '../kernel/time/clock.ts';
import { DAY_MS, MINUTE_MS } from '../kernel/time/durations.ts';
import { isAborted, pause } from '../kernel/time/pause.ts';
import {
  differingSubjects,
  isOverdue,
  WEBHOOK_DELAY_MS,
  type Monitoring,
  type RecordedDifference,
  type RecordedLook,
} from '../store/monitoring.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import { heldSubjects } from './held-subjects.ts';
import { LookFailed, type SubjectDifference } from './judge-subject.ts';
import { lookAtFamily, type EarlierLook, type FamilyLook, type LookDeps } from './look-at-family.ts';
import { comparedFamilies } from './record-lists.ts';
import { repairKind, repairSelection } from './repair-selection.ts';
import type { RepairSubject } from './repair-subject.ts';

/** Milliseconds between two checks which families are due. The first comes so long after the start. */
const CHECK_EVERY_MS = MINUTE_MS;
/** A family that could not be looked at, or has new differences, is looked at again after so many milliseconds. */
const AGAIN_MS = WEBHOOK_DELAY_MS;
/** After each request a look rests nine times as long as the request took, at most half a second, so that webhooks go first. */
const REST_TIMES = 9;
const MAX_REST_MS = 500;
/** The provider's clock may be so wrong, in milliseconds. */
const CLOCK_TOLERANCE_MS = 5 * MINUTE_MS;

/** The API behind a source. */
interface Reader {
  readonly client: () => Client;
  readonly cooldown: Cooldown;
}

export interface KeepReconciledOptions extends Pick<LookDeps, 'clock' | 'contract'> {
  readonly store: LookDeps['store'] & Monitoring & Parameters<typeof heldSubjects>[0];
  readonly telemetry: Telemetry;
  /** The APIs by the sources whose events are compared. */
  readonly readers: ReadonlyMap<string, Reader>;
  /** Milliseconds from one look at a family to the next. */
  readonly everyMs: number;
  /** Repairs a subject; null where differences are only reported. */
  readonly repair: RepairSubject | null;
  /** Called after repairs were stored. */
  readonly wake: () => void;
  /** Whether this process does periodic work; others that share the store wait. */
  readonly leads: () => boolean;
}

/**
 * Looks at each family of each source when its last complete look, which the store has, is too old: so a restart
 * or another process goes on where the last one was. One request is made at a time, and none while the provider
 * answers 429 or 5xx, to this look or to anybody else in the process.
 *
 * @returns stops it, after the request in progress
 */
export function keepReconciled(options: KeepReconciledOptions): () => Promise<void> {
  const { clock, store, contract, telemetry, readers, everyMs, leads, repair } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** When a family that could not be looked at is due again. */
  const retryAt = new Map<string, number>();
  let cancel: Cancel = () => undefined;
  let running: Promise<void> = Promise.resolve();

  function dueAt(key: string, known: RecordedLook | undefined): number {
    const next =
      known === undefined ? 0 : known.at + (isSettled(known) ? everyMs : Math.min(everyMs, AGAIN_MS));
    return retryAt.get(key) ?? next;
  }

  async function check(): Promise<void> {
    if (!leads()) return;
    const { looks } = await store.monitoring();
    for (const [source, reader] of readers)
      for (const family of comparedFamilies) {
        const known = looks.find((look) => look.source === source && look.family === family);
        const key = `${source} ${family}`;
        if (isAborted(signal) || !leads()) return;
        if (clock.now() < dueAt(key, known)) continue;
        try {
          const found = await look(source, family, reader, known);
          // What remains then is what the provider does not show, or the contract has no event for.
          if (await repairAll(source, family, reader, found)) await look(source, family, reader, found);
          retryAt.delete(key);
        } catch (error) {
          if (isAborted(signal)) return;
          retryAt.set(key, clock.now() + AGAIN_MS);
          const isExpected = error instanceof LookFailed || ClientError.is(error);
          const reason = isExpected ? error.message : failureReason(error);
          telemetry.emit('reconcile.failed', { source, family, reason });
        }
      }
  }

  async function look(
    source: string,
    family: Family,
    { client, cooldown }: Reader,
    known: RecordedLook | undefined,
  ): Promise<RecordedLook> {
    const at = clock.now();
    const startedAt = clock.monotonic();
    const earlier = known && earlierLook(known, at, everyMs);
    const deps: LookDeps = {
      ...{ client: client(), store, contract, source, clock, signal },
      pace: paceOf(cooldown),
      report: () => undefined,
    };
    const found = await lookAtFamily(deps, family, earlier);
    const held = found.differences.length === 0 ? new Map() : await heldSubjects(store, source, family);
    const recorded: RecordedLook = {
      ...{ source, family, at, wholeAt: earlier === undefined ? at : (known?.wholeAt ?? at) },
      ...recordOf(found, held, at, known),
    };
    await store.recordMonitoring({ record: 'look', ...recorded });
    telemetry.emit('reconcile.looked', {
      ...{ source, family, subjects: found.subjects, differing: found.differences.length },
      durationMs: clock.monotonic() - startedAt,
    });
    return recorded;
  }

  /** Repairs what no webhook has told in time. Returns whether there was any such thing. @throws ClientError */
  async function repairAll(
    source: string,
    family: Family,
    { cooldown }: Reader,
    look: RecordedLook,
  ): Promise<boolean> {
    const settled = look.differences.filter((one) => isOverdue(one, look));
    if (repair === null || settled.length === 0) return false;
    const differences = settled.map(({ id, outcome }) => ({ subject: `${family}:${id}`, outcome }));
    const { repair: how } = await repairSelection(store, [{ family, differences }], { source });
    const rest = paceOf(cooldown);
    let repaired = 0;
    try {
      for (const subject of how.subjects) {
        await rest();
        signal.throwIfAborted();
        if ((await repair(subject, how, signal)) !== null) repaired += 1;
      }
    } finally {
      if (repaired > 0) {
        options.wake();
        telemetry.emit('reconcile.repaired', { source, family, subjects: repaired });
      }
    }
    return repaired > 0;
  }

  /** Returns what is awaited before each request: it rests, and waits while the provider answers 429 or 5xx. */
  function paceOf(cooldown: Cooldown): () => Promise<void> {
    let resumedAt = clock.monotonic();
    return async () => {
      const restMs = Math.min(MAX_REST_MS, REST_TIMES * (clock.monotonic() - resumedAt));
      let ms = Math.max(restMs, cooldown.waitMs());
      for (; ms > 0 && !signal.aborted; ms = cooldown.waitMs()) await pause(clock, ms, signal);
      resumedAt = clock.monotonic();
    };
  }

  function schedule(): void {
    cancel = clock.after(CHECK_EVERY_MS, () => {
      running = check()
        // The store cannot be read: what watches it says so.
        .catch(() => undefined)
        .then(() => {
          if (!signal.aborted) schedule();
        });
    });
  }

  schedule();
  return async () => {
    stopping.abort();
    cancel();
    await running;
  };
}

/** Undefined when every record must be compared: a day has passed, or not every difference is known by its id. */
function earlierLook(known: RecordedLook, now: number, everyMs: number): EarlierLook | undefined {
  const { at, wholeAt, differences } = known;
  const all = differingSubjects(known);
  if (now + everyMs > wholeAt + DAY_MS || all > differences.length) return undefined;
  return { since: at - CLOCK_TOLERANCE_MS, differed: new Set(differences.map(({ id }) => id)) };
}

function recordOf(
  { family, equal, differences }: FamilyLook,
  held: ReadonlyMap<string, string>,
  at: number,
  known: RecordedLook | undefined,
): Pick<RecordedLook, 'equal' | 'differing' | 'differences'> {
  const before = new Map(known?.differences.map((one) => [one.id, one]));
  const differing: Record<string, number> = {};
  for (const { outcome } of differences) differing[outcome] = (differing[outcome] ?? 0) + 1;
  // The store keeps the first of them.
  const last = ({ outcome }: SubjectDifference): number => Number(repairKind(family, outcome) === undefined);
  const sorted = differences.toSorted((one, other) => last(one) - last(other));
  return {
    equal,
    differing,
    differences: sorted.map(({ subject, outcome, fields, changedAt }): RecordedDifference => {
      const id = parseSubjectName(subject)?.id ?? '';
      const changed = Date.parse(changedAt ?? '');
      const earlier = before.get(id);
      const since = earlier?.outcome === outcome ? earlier.since : changed < at ? changed : at;
      return {
        id,
        outcome,
        fields: fields.map(({ path }) => path),
        since,
        quarantined: held.get(id) ?? null,
      };
    }),
  };
}

/** Whether no difference is so new that its webhook may be on the way. */
function isSettled(look: RecordedLook): boolean {
  return look.differences.every((one) => isOverdue(one, look));
}
