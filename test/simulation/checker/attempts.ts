/** Failed attempts, as an operator reads them: one row for each, in rounds that a retry begins. */
import { isLimited } from '../actors/names.ts';
import { KEEP_MS } from '../world/settings.ts';
import type { World } from '../world/world.ts';
import type { Call } from './calls.ts';
import type { DeliveryRow } from './rows.ts';
import { violated } from './violation.ts';

interface AttemptRow {
  readonly delivery: string;
  readonly attempt: number;
  readonly outcome: string;
  readonly endedAt: number;
  readonly durationMs: number | null;
  readonly dueAt: number | null;
  readonly error: string | null;
}

/** More are not kept. */
const MOST = 50;
/** Waits after failures of the handlers. */
const [BASE_MS, MAX_MS] = [50, 400];

export function lookAtAttempts(world: World): void {
  const { rows, time, deliveries } = world;
  const all = rows.select?.<AttemptRow>(`select 'd' || delivery_id as delivery, attempt, outcome,
    ended_at as "endedAt", duration_ms as "durationMs", due_at as "dueAt", error from attempts order by id`);
  if (all === undefined) return;
  const gone = new Set<string>();
  const of = Map.groupBy(all, ({ delivery }) => delivery);
  const finished = new Map(
    rows
      .select?.<{ id: string; at: number | null }>(
        `select 'd' || id as id, finished_at as at from deliveries`,
      )
      .map(({ id, at }) => [id, at]),
  );
  const isPruned = new Set(rows.events().flatMap(({ id, pruned }) => (pruned === null ? [] : [id])));
  for (const row of rows.deliveries()) {
    const finishedAt = finished.get(row.id) ?? null;
    const isOld = finishedAt !== null && time.highest - finishedAt >= KEEP_MS;
    const found = of.get(row.id) ?? [];
    if (isOld || isPruned.has(row.event) || found.length >= MOST) gone.add(row.id);
    else requireRounds(row, found, world.process - 1);
  }
  deliveries.failures = deliveries.failures.filter(
    (call) => !gone.has(call.delivery) && !isRecorded(world, call, of.get(call.delivery)),
  );
}

/** Attempts count from 1 in each round; a round ends with a dead letter. */
function requireRounds(row: DeliveryRow, found: readonly AttemptRow[], deaths: number): void {
  let last = 0;
  for (const [at, { attempt, outcome, error }] of found.entries()) {
    const isNew = attempt === 1;
    if (!isNew && attempt !== last + 1)
      throw violated('attempts', `${row.id} has a row of attempt ${attempt} after ${last}`, row);
    if (at > 0 && isNew !== (found[at - 1]?.outcome === 'dead'))
      throw violated('attempts', `${row.id} begins a round, and the one before has not ended`, row);
    if (error?.includes('has changed since it was read') === true)
      throw violated('attempts', `${row.id} has an attempt for a fold that another one overtook`, row);
    if (!['failed', 'dead', 'interrupted'].includes(outcome))
      throw violated('attempts', `${row.id} has an attempt that is ${outcome}`);
    last = attempt;
  }
  const { status, attempts } = row;
  const isOver = found.at(-1)?.outcome === 'dead';
  const inRound = isOver && status !== 'dead' && status !== 'skipped' ? 0 : last;
  const allowed =
    status === 'running' || status === 'succeeded'
      ? [Math.max(0, attempts - 1)]
      : status === 'skipped'
        ? [attempts, Math.max(0, attempts - 1)]
        : [attempts];
  if (isOver && status === 'skipped' && attempts <= 1) allowed.push(last);
  if (!allowed.includes(inRound))
    throw violated(
      'attempts',
      `${row.id} is ${status} after ${attempts} attempts, ${inRound} have a row`,
      row,
    );
  if (status === 'dead' && !isOver) throw violated('attempts', `${row.id} died, and no row says so`, row);
  if (found.filter(({ outcome }) => outcome === 'interrupted').length > deaths)
    throw violated('attempts', `${row.id} was interrupted more often than processes ended`, row);
}

/** Whether nothing is left to ask of a call that failed. */
function isRecorded(world: World, call: Call, found: readonly AttemptRow[] = []): boolean {
  // Its outcome may not have been stored, or its breaker has opened meanwhile.
  if (call.process !== world.process || call.faults !== world.faults || call.how === 'stopped') return true;
  const about = `${call.delivery} (attempt ${call.attempt}, ${call.how ?? ''})`;
  // Of each round since, there may be one.
  const rows = found.filter(({ attempt }) => attempt === call.attempt);
  const wrong = rows.map((row) => wrongIn(row, call, isLimited(call.handler, world.seed)));
  if (wrong.includes(null)) return true;
  if (world.rows.deliveries().some(({ id, status }) => id === call.delivery && status === 'running'))
    return false;
  throw violated('attempts', `${about} ${wrong.at(-1) ?? 'has no row'}`, rows.at(-1));
}

/** What a row says wrongly of a call that failed. */
function wrongIn(
  { outcome, endedAt, dueAt, durationMs, error }: AttemptRow,
  call: Call,
  hasRate: boolean,
): string | null {
  if (outcome === 'interrupted' || (call.how === 'give-up' && outcome !== 'dead'))
    return `is recorded as ${outcome}`;
  const tookMs = Math.round((call.endedAt ?? 0) - call.startedAt);
  // The provider was asked before, or the store for a call of the rate.
  const isLonger = (call.isAsked || hasRate) && (durationMs ?? 0) > tookMs;
  if (call.how !== 'timed-out' && durationMs !== tookMs && !isLonger) return `took ${tookMs} ms`;
  if (call.how === 'throw' && error?.includes('failed as') !== true) return 'has another error';
  if ((outcome === 'dead') !== (dueAt === null)) return `is due at ${dueAt ?? 'no time'}`;
  if (dueAt === null) return null;
  const waitMs = dueAt - endedAt;
  const [least, most] =
    call.how === 'later'
      ? [call.waitMs, call.waitMs]
      : [0, Math.min(MAX_MS, BASE_MS * 2 ** (call.attempt - 1))];
  return waitMs < least || waitMs > most ? `waits for ${waitMs} ms` : null;
}
