/** Erasures that operators plan and start in a serving process. */
import { randomBytes } from 'node:crypto';
import type { Auditor, StartedOperation } from '../../audit/auditor.ts';
import type { Operator } from '../../audit/operation.ts';
import type { Contract } from '../../contract/contract.ts';
import { requireContract } from '../../handle/load/require-contract.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { failureReason } from '../../kernel/failure-reason.ts';
import type { Logger } from '../../kernel/logger.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import type { ContentPlace } from '../../store/privacy.ts';
import type { Processes } from '../../store/processes.ts';
import type { Unfinished } from '../conclude-erasure.ts';
import { rejectHeld } from '../erasable.ts';
import { requireErasureReason } from '../erasure-reason.ts';
import { identifierCounts, type Identifier } from '../identifier.ts';
import { personOf, personsOf } from '../person.ts';
import { runErasure, type ErasureStore } from '../run-erasure.ts';
import { identifiersOfLines, makeErasurePlan, openErasurePlan, type ErasurePlan } from './erasure-plan.ts';

/** Plans and runs that a process remembers. */
const MAX_KEPT = 20;
/** Searches that wait or run. Each reads the whole store, one after the other. */
const MAX_SEARCHES = 3;
/** Milliseconds for which a request waits, so that a small store is searched within it. */
const PATIENCE_MS = 1_500;

/** What a process searches or erases for an operator, or did since it started. */
export interface ErasureRun {
  /** Of the plan. */
  readonly id: string;
  readonly state: 'searching' | 'planned' | 'erasing' | 'finished' | 'unfinished' | 'failed';
  /** How far it is, while it reads rows. */
  readonly read: { readonly place: ContentPlace; readonly rows: number } | null;
  readonly plan: ErasurePlan | null;
  /** The ledger's id, once anything may be erased. */
  readonly erasure: string | null;
  readonly unfinished: Unfinished | null;
  /** Why it failed. */
  readonly problem: string | null;
}

export interface ErasureRequest {
  readonly plan: string;
  /** Typed again by the operator. */
  readonly identifiers: readonly string[];
  readonly reason: string;
  readonly operator: Operator;
}

/** Erasures that operators plan and start at the private port of this process. */
export interface Erasures {
  /**
   * Begins to search for a person. The run is `planned` within a moment in a small store.
   *
   * @returns also how many identifiers of which type were given, for the audit
   * @throws PortariaError `invalid-argument`, which repeats no identifier; `overloaded` while others are searched for
   */
  plan(identifiers: readonly string[]): Promise<{ readonly run: ErasureRun; readonly identified: string }>;
  /**
   * Begins to erase a person by a plan, and records it in the audit from its beginning to its end.
   *
   * @throws PortariaError `invalid-argument` for a plan that is over or other identifiers, `erasure-refused` for a held
   *   person or while another erasure runs: nothing is erased, and the plan can be started later. An error after 1.5 s is
   *   not thrown; it is in `run.problem`.
   */
  start(request: ErasureRequest): Promise<ErasureRun>;
  run(id: string): ErasureRun | undefined;
  /** The run of an erasure in the ledger. */
  runOf(erasure: string): ErasureRun | undefined;
  /** Ends what runs at its next page of rows: it can be started again. */
  stop(): void;
}

export interface ErasuresDeps {
  readonly store: ErasureStore & Pick<Processes, 'knownDefinitions'>;
  readonly contract: Contract;
  readonly clock: Clock;
  readonly auditor: Pick<Auditor, 'start'>;
  readonly log: Pick<Logger, 'error'>;
}

export function createErasures({ store, contract, clock, auditor, log }: ErasuresDeps): Erasures {
  const runs = new Map<string, ErasureRun>();
  let stopping = false;
  let searches: Promise<unknown> = Promise.resolve();
  const stopped = new AbortController();

  function keep(run: ErasureRun): ErasureRun {
    runs.delete(run.id);
    runs.set(run.id, run);
    const over = runs.values().find(({ state }) => state !== 'erasing' && state !== 'searching');
    if (runs.size > MAX_KEPT && over !== undefined) runs.delete(over.id);
    return run;
  }

  function change(id: string, changes: Partial<ErasureRun>): void {
    const run = runs.get(id);
    if (run !== undefined) runs.set(id, { ...run, ...changes });
  }

  function reporter(id: string) {
    return (place: ContentPlace, rows: number): void => {
      if (stopping) throw new PortariaError('stopping', 'The process stops');
      change(id, { read: { place, rows } });
    };
  }

  function fail(id: string, error: unknown): void {
    const problem = PortariaError.is(error) ? error.message : 'It failed; the log has the reason';
    change(id, { state: 'failed', read: null, problem });
    if (!stopping && !PortariaError.is(error, 'invalid-argument', 'erasure-refused'))
      log.error({ reason: failureReason(error) }, 'a person could not be searched or erased');
  }

  async function search(id: string, given: readonly Identifier[]): Promise<void> {
    try {
      const plan = await makeErasurePlan({ store, contract, clock, report: reporter(id) }, id, given);
      change(id, { state: 'planned', read: null, plan });
    } catch (error) {
      fail(id, error);
    }
  }

  /** @throws PortariaError what refuses the erasure before it begins: nothing is erased then */
  async function erase(
    id: string,
    given: readonly Identifier[],
    requestedBy: string,
    reason: string,
  ): Promise<boolean> {
    const begun = (erasure: string): void => {
      change(id, { erasure });
    };
    const deps = { store, contract, clock, report: reporter(id), begun, signal: stopped.signal };
    try {
      const { conclusion } = await runErasure(deps, given, { requestedBy, reason });
      const { unfinished = null } = conclusion;
      change(id, { state: unfinished === null ? 'finished' : 'unfinished', read: null, unfinished });
      return unfinished === null;
    } catch (error) {
      if (PortariaError.is(error) && runs.get(id)?.erasure == null) throw error;
      fail(id, error);
      return false;
    }
  }

  async function endOf(erasing: Promise<boolean>, id: string, started: StartedOperation): Promise<void> {
    const end = async (result: 'done' | 'failed'): Promise<void> => {
      const { erasure = null } = runs.get(id) ?? {};
      await started.end({ result, status: null, details: erasure === null ? {} : { erasure } });
    };
    const isDone = await erasing.catch(async (error: unknown) => {
      await end('failed');
      throw error;
    });
    await end(isDone ? 'done' : 'failed');
  }

  /** Rejects a person whom the search found to be held, before every row is read again. */
  async function requireNoHold(id: string, given: readonly Identifier[]): Promise<void> {
    const run = runs.get(id);
    if (run !== undefined && isStarted(run)) return;
    const identified = run?.plan?.hashed;
    const person =
      identified === undefined ? personOf(given) : personsOf(identified, await store.erasureKey());
    rejectHeld(await store.holds(), person);
  }

  /** Waits a moment for work that goes on without its request. */
  async function shortly(work: Promise<unknown>, id: string): Promise<ErasureRun> {
    await new Promise<void>((resolve, reject) => {
      const cancel = clock.after(PATIENCE_MS, resolve);
      work.then(() => resolve(), reject).finally(cancel);
    });
    return runs.get(id) ?? newRun(id);
  }

  return {
    async plan(identifiers) {
      const given = identifiersOfLines(identifiers);
      await requireContract(store, contract);
      if ([...runs.values()].filter(({ state }) => state === 'searching').length >= MAX_SEARCHES)
        throw new PortariaError('overloaded', { code: 'other-searches' });
      const id = randomBytes(12).toString('base64url');
      keep(newRun(id));
      // One after the other: each reads the whole store.
      const searched = searches.then(() => search(id, given));
      searches = searched;
      return { run: await shortly(searched, id), identified: identifierCounts(given) };
    },
    async start(request) {
      const given = identifiersOfLines(request.identifiers);
      const reason = requireErasureReason(request.reason, given);
      const id = await openErasurePlan({ store, clock }, request.plan, given);
      await requireContract(store, contract);
      await requireNoHold(id, given);
      const known = runs.get(id);
      // A form that is sent again shows the erasure that it started.
      if (known !== undefined && isStarted(known)) return known;
      // Noted before anything waits, so that a second click starts nothing.
      keep({ ...newRun(id), state: 'erasing' });
      const undo = (): void => {
        if (known === undefined) runs.delete(id);
        else keep(known);
      };
      const { operator } = request;
      const subject = { identifiers: identifierCounts(given) };
      const started = await auditor
        .start({ operator, action: 'erasePerson', subject, reason })
        .catch((error: unknown) => {
          undo();
          throw error;
        });
      let isAwaited = true;
      const by = printableLine(operator.name ?? '');
      const erasing = erase(id, given, by, reason).catch((error: unknown) => {
        if (isAwaited) undo();
        else fail(id, error);
        throw error;
      });
      return shortly(endOf(erasing, id, started), id).finally(() => {
        isAwaited = false;
      });
    },
    run: (id) => runs.get(id),
    runOf: (erasure) => [...runs.values()].findLast((run) => run.erasure === erasure),
    stop() {
      stopping = true;
      stopped.abort(new PortariaError('stopping', 'The process stops'));
    },
  };
}

/** Whether a plan was started, and did not fail. */
function isStarted({ state }: ErasureRun): boolean {
  return state !== 'planned' && state !== 'failed';
}

function newRun(id: string): ErasureRun {
  return { id, state: 'searching', read: null, plan: null, erasure: null, unfinished: null, problem: null };
}
