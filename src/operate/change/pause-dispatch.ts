/** Pauses and resumes handlers, sources and lanes. */
import { subjectName } from '../../event/subject.ts';
import type { Registry } from '../../handle/load/registry.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { printableLine } from '../../kernel/text/printable.ts';
import type { Clock } from '../../kernel/time/clock.ts';
import { pause as wait } from '../../kernel/time/pause.ts';
import type { Monitoring } from '../../store/monitoring.ts';
import { isByOperator, isSameScope, type Pause, type Pauses, type PauseScope } from '../../store/pauses.ts';
import type { Processes } from '../../store/processes.ts';
import type { Queries } from '../../store/queries.ts';
import { pauseView, scopeText, type PauseView } from '../../view/pause-view.ts';

/** The limit of characters in a reason. */
const MAX_REASON = 500;

/** Milliseconds to wait for the running process to take note: it polls four times a second. */
const MAX_WAIT_MS = 5_000;
const ASK_EVERY_MS = 25;

type PauseStore = Pick<Pauses, 'pause' | 'pauses'> &
  Pick<Processes, 'processes'> &
  Pick<Queries, 'totals' | 'events'> &
  Pick<Monitoring, 'monitoring'>;

export interface PauseRequest {
  readonly scope: PauseScope;
  readonly reason: string;
  /** Who pauses: stored with the pause. */
  readonly by: string;
  /** Milliseconds since 1970; null until an operator resumes. */
  readonly until: number | null;
  /** The handlers of the process that dispatches. */
  readonly registry: Pick<Registry, 'definitions' | 'deliveryNames'>;
  readonly clock: Clock;
  /** Makes the dispatcher of this process poll at once; another process polls by itself. */
  readonly wake?: () => void;
}

/**
 * Pauses a handler, a source or a lane. Running deliveries finish, in order. No other delivery in the scope starts
 * once the pause is acknowledged. Webhooks are still accepted. A scope that is already paused gets the new reason
 * and end.
 *
 * @returns the pause, acknowledged by the running process unless none runs or it takes more than 5 seconds
 * @throws PortariaError with every problem of the request: `not-found` if all of them are names of nothing, else
 *   `invalid-argument`
 */
export async function pauseDispatch(store: PauseStore, request: PauseRequest): Promise<PauseView> {
  const { by, until, clock, wake } = request;
  const reason = printableLine(request.reason.trim());
  const scope = { ...request.scope };
  const problems = problemsOf({ ...request, reason });
  const missing = await missingNames(store, request);
  if (problems.length + missing.length > 0)
    throw new PortariaError(
      problems.length === 0 ? 'not-found' : 'invalid-argument',
      [...problems, ...missing].join('; '),
    );
  const stored = await store.pause(scope, {
    reason,
    pausedBy: printableLine(by),
    until,
    now: clock.now(),
  });
  wake?.();
  return pauseView(await acknowledged(store, stored, clock));
}

/** The pauses to end: those of one scope, or these. */
export type ResumeChoice =
  | { readonly scope: PauseScope; readonly ids?: never }
  | { readonly ids: readonly string[]; readonly scope?: never };

/**
 * Ends pauses. Their lanes continue at once, where they stopped.
 *
 * @throws PortariaError `not-found` when nothing of it is paused
 */
export async function resumeDispatch(
  store: Pick<Pauses, 'pauses' | 'resume'>,
  choice: ResumeChoice,
  wake?: () => void,
): Promise<readonly PauseView[]> {
  const { scope } = choice;
  const ids =
    scope === undefined ? choice.ids : idsOf((await store.pauses()).filter((pause) => isMeant(pause, scope)));
  const resumed = await store.resume(ids);
  wake?.();
  if (resumed.length > 0) return resumed.map(pauseView);
  const paused = (await store.pauses()).map(scopeText);
  const what = scope === undefined ? ids.join(', ') || 'an operator' : scopeText(scope);
  throw new PortariaError(
    'not-found',
    `There is no pause of ${what}; ${paused.length === 0 ? 'nothing is paused' : `paused: ${paused.slice(0, 10).join('; ')}`}`,
  );
}

/** An operator ends a pause of their own first: a lane behind a dead letter goes on when it alone is left. */
function idsOf(pauses: readonly Pause[]): readonly string[] {
  const byOperators = pauses.filter(isByOperator);
  return (byOperators.length > 0 ? byOperators : pauses).map(({ id }) => id);
}

/** A lane behind a dead letter is of one source, which need not be named. */
function isMeant(pause: Pause, scope: PauseScope): boolean {
  const { source } = isByOperator(pause) || pause.source === null ? pause : scope;
  return isSameScope({ ...pause, source }, scope);
}

function problemsOf({ scope, reason, until, registry, clock }: PauseRequest): readonly string[] {
  const { handler, source, subject } = scope;
  return [
    ...(handler === null && source === null && subject === null
      ? ['Nothing is selected: name a handler, a source, or a handler and a subject']
      : []),
    ...(reason === '' ? ['Give a reason: it is shown to everyone who wonders why events wait'] : []),
    ...(reason.length > MAX_REASON ? [`Write a reason of at most ${String(MAX_REASON)} characters`] : []),
    ...(until !== null && until <= clock.now() ? ['The end lies in the past: name a later one'] : []),
    ...laneProblems(scope, registry),
    ...(subject !== null && handler === null
      ? ['A subject is paused for one handler: name the handler, too']
      : []),
  ];
}

function laneProblems(
  { handler, source, subject }: PauseScope,
  { definitions }: PauseRequest['registry'],
): readonly string[] {
  const definition = definitions.find(({ name }) => name === handler);
  const isOneLane = definition?.type === 'handler' && definition.order === 'handler';
  if (!isOneLane || (source === null && subject === null)) return [];
  return [`Handler ${definition.name} has a single lane (order: handler): pause the whole handler`];
}

/** A pause of a mistyped name would keep nothing from starting. */
async function missingNames(
  store: PauseStore,
  { scope: { handler, source, subject }, registry }: PauseRequest,
): Promise<readonly string[]> {
  return [
    ...(handler === null ? [] : await missingHandler(store, handler, registry)),
    ...(source === null ? [] : await missingSource(store, source)),
    ...(subject !== null && (await store.events({ subject }, { order: 'newest', limit: 1 })).length === 0
      ? [`There is no event of subject ${subjectName(subject)}`]
      : []),
  ];
}

async function missingHandler(
  store: PauseStore,
  handler: string,
  { deliveryNames }: PauseRequest['registry'],
): Promise<readonly string[]> {
  if (deliveryNames.includes(handler)) return [];
  const { byHandler } = await store.totals();
  if (byHandler.some((row) => row.handler === handler)) return [];
  return [`There is no handler ${handler}; there are ${deliveryNames.join(', ') || 'none'}`];
}

async function missingSource(store: PauseStore, source: string): Promise<readonly string[]> {
  const { received } = await store.monitoring();
  const sources = [...new Set(received.map((row) => row.source))];
  if (sources.includes(source)) return [];
  return [`No event of source ${source} has arrived; events came from ${sources.join(', ') || 'none'}`];
}

/** Waits until the process that dispatches has taken note. */
async function acknowledged(
  store: Pick<PauseStore, 'pauses' | 'processes'>,
  stored: Pause,
  clock: Clock,
): Promise<Pause> {
  if ((await store.processes()).length === 0) return stored;
  for (let waited = 0; waited < MAX_WAIT_MS; waited += ASK_EVERY_MS) {
    const now = (await store.pauses()).find(({ id }) => id === stored.id);
    if (now === undefined || now.acknowledgedAt !== null) return now ?? stored;
    await wait(clock, ASK_EVERY_MS);
  }
  return stored;
}
