/** Opens what runs the calls of a replay: this process, or a `serve` beside it. */
import type { Config } from '../../../config/config.ts';
import { createDispatcher } from '../../../dispatch/dispatcher.ts';
import type { Registry } from '../../../handle/load/registry.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { pause } from '../../../kernel/time/pause.ts';
import { loadProviderApi } from '../../../load-provider-api.ts';
import type { ReplayRunner } from '../../../replay/replay-run.ts';
import { isDispatched, openStore, type StoreAddress } from '../../../store/open-store.ts';
import type { HandlerProcess } from '../../../store/processes.ts';
import type { ReplayRecord } from '../../../store/replays.ts';
import type { Store } from '../../../store/store.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import { fanOut } from '../../../telemetry/fan-out.ts';
import { createLogSubscriber } from '../../../telemetry/log-subscriber.ts';
import { knownHandlers } from '../../known-handlers.ts';
import type { Session } from '../../session.ts';
import { watchStrayErrors } from '../../stray-errors.ts';
import { requireHandlersOf } from './replay-request.ts';

/** The store, and the process that runs the deliveries of a replay. */
export interface OpenRunner extends ReplayRunner {
  readonly store: Store;
  /** The handlers of the process that runs the deliveries. */
  readonly registry: Registry;
  /** Whether the deliveries run in this process. */
  readonly isOwner: boolean;
  /** The message for people when the replay is blocked, with the remedy. */
  readonly whyBlocked: string;
  /** Resolves when nothing of the replay can run any more. */
  idle(): Promise<void>;
  /** Finishes or releases the deliveries that run in this process. The store stays open. */
  release(): Promise<void>;
  close(): Promise<void>;
}

/** Milliseconds between checks whether `serve` still owns the store. */
const OWNER_POLL_MS = 1000;

/** Loads the handlers of PORTARIA_HANDLERS. */
export type LoadLocal = () => Promise<Registry>;

interface RunnerOptions {
  readonly signal: AbortSignal;
  readonly concurrency: number | undefined;
}

/**
 * Opens the store for a replay. Beside a running `serve`, which owns the store, this process only
 * enqueues deliveries. Without one it becomes the owner, and runs the deliveries of this replay.
 */
export async function openRunner(
  session: Session,
  local: LoadLocal,
  replay: ReplayRecord,
  options: RunnerOptions,
): Promise<OpenRunner> {
  const config = session.configWithApi();
  const { clock } = session.terminal;
  if (!(await isDispatched(config, clock))) {
    // The process that had its own handlers may have ended since the replay was planned.
    const registry = await local();
    requireHandlersOf(replay, { registry, processes: [] });
    try {
      const { dataOf } = registry.contract;
      const store = await openStore(config, { role: 'owner', clock, dataOf });
      return await ownRunner(store, session, registry, replay.id, { ...options, config });
    } catch (error) {
      // A `serve` has taken the lock since the check.
      if (!PortariaError.is(error, 'store-locked')) throw error;
    }
  }
  const store = await openStore(config, { role: 'guest', clock });
  try {
    const known = await knownHandlers(store, config, local);
    requireHandlersOf(replay, known);
    if (known.processes.length === 0)
      await session.note(
        'The process that has the database open runs no handlers: the calls wait until one does.',
      );
    return guestRunner(store, {
      address: config,
      clock,
      replay,
      registry: known.registry,
      signal: options.signal,
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function ownRunner(
  store: Store,
  { terminal }: Session,
  registry: Registry,
  replay: string,
  { config, concurrency = config.concurrency }: RunnerOptions & { readonly config: Config },
): Promise<OpenRunner> {
  const log = await createReplayLogger(config, terminal.err);
  const { clock, random } = terminal;
  const telemetry = fanOut([createLogSubscriber(log, { clock, isVerified: () => true }).report], log);
  const dispatcher = createDispatcher({
    store,
    registry,
    clock,
    random,
    telemetry,
    log,
    ...(await loadProviderApi(config, { clock, random, telemetry })),
    concurrency,
    replay,
  });
  const stopWatching = watchStrayErrors(terminal, log);
  try {
    await dispatcher.start();
  } catch (error) {
    stopWatching();
    await store.close();
    throw error;
  }
  return {
    store,
    registry,
    isOwner: true,
    whyBlocked:
      'The rest waits for earlier deliveries of the same subjects: start `portaria serve`, which runs them.',
    wake: () => dispatcher.wake(),
    idle: () => dispatcher.idle(),
    release: () => dispatcher.stop(config.shutdownGraceMs),
    async close() {
      await dispatcher.stop(config.shutdownGraceMs);
      await store.close();
      stopWatching();
    },
  };
}

interface GuestOptions {
  readonly address: StoreAddress;
  readonly clock: Clock;
  readonly replay: ReplayRecord;
  readonly registry: Registry;
  readonly signal: AbortSignal;
}

function guestRunner(store: Store, options: GuestOptions): OpenRunner {
  const { address, clock, replay, registry, signal } = options;
  const closed = new AbortController();
  const stopped = AbortSignal.any([signal, closed.signal]);
  let ownerEnded: Promise<void> | undefined;
  const runsElsewhere = async () => {
    if (!(await isDispatched(address, clock))) return false;
    // The store may be closed meanwhile.
    const [running] = await store.processes().catch(() => []);
    // A process that has just started has not recorded its handlers yet.
    return running === undefined || replay.handlers.every((name) => hasHandler(running, name));
  };
  const waitForOwnerEnd = async () => {
    while (!stopped.aborted && (await runsElsewhere())) await pause(clock, OWNER_POLL_MS, stopped);
    // After an interrupt or close, this promise must not report the replay as blocked.
    if (stopped.aborted) await new Promise<never>(() => undefined);
  };
  return {
    store,
    registry,
    isOwner: false,
    whyBlocked:
      'The process that ran the deliveries has ended, or runs without these handlers now; start it again to run the enqueued ones.',
    // The owner polls for new deliveries by itself.
    wake: () => undefined,
    idle: () => (ownerEnded ??= waitForOwnerEnd()),
    release: () => Promise.resolve(),
    async close() {
      closed.abort();
      await store.close();
    },
  };
}

/** Logs only warnings and errors beside the progress, unless the settings ask for `debug`. */
function createReplayLogger({ log }: Config, err: Session['terminal']['err']): Promise<Logger> {
  return createLogger({
    level: log.level === 'info' ? 'warn' : log.level,
    format: log.format ?? (err.isTerminal ? 'pretty' : 'json'),
    isTerminal: err.isTerminal,
    colors: err.colors,
    destination: err.stream,
  });
}

function hasHandler({ handlers }: HandlerProcess, name: string): boolean {
  return handlers.some((handler) => handler.name === name);
}
