import type { Config } from '../../../config/config.ts';
import { createDispatcher } from '../../../dispatch/dispatcher.ts';
import type { Registry } from '../../../handle/load/registry.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { pause } from '../../../kernel/time/pause.ts';
import { payloadReader } from '../../../own-sources.ts';
import { loadProviderApi } from '../../../load-provider-api.ts';
import type { ReplayRunner } from '../../../replay/replay-run.ts';
import { openSqliteStore } from '../../../store/sqlite/open-sqlite-store.ts';
import { isOwned } from '../../../store/sqlite/file/owner-lock.ts';
import type { Store } from '../../../store/store.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import { fanOut } from '../../../telemetry/fan-out.ts';
import { createLogSubscriber } from '../../../telemetry/log-subscriber.ts';
import type { Session } from '../../session.ts';
import { watchStrayErrors } from '../../stray-errors.ts';

/** The store, and the process that runs the deliveries of a replay. */
export interface OpenRunner extends ReplayRunner {
  readonly store: Store;
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
  registry: Registry,
  replay: string,
  options: RunnerOptions,
): Promise<OpenRunner> {
  const config = session.config();
  const { clock } = session.terminal;
  const path = config.database;
  if (!isOwned(path)) {
    try {
      const store = await openSqliteStore({
        path,
        role: 'owner',
        clock,
        ...payloadReader(registry.contract),
      });
      return await ownRunner(store, session, registry, replay, { ...options, config });
    } catch (error) {
      // A `serve` has taken the lock since the check.
      if (!PortariaError.is(error, 'store-locked')) throw error;
    }
  }
  return guestRunner(await openSqliteStore({ path, role: 'guest', clock }), path, clock, options.signal);
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
  const telemetry = fanOut([createLogSubscriber(log, { clock, isVerified: () => true }).report]);
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

function guestRunner(store: Store, path: string, clock: Clock, signal: AbortSignal): OpenRunner {
  const closed = new AbortController();
  const stopped = AbortSignal.any([signal, closed.signal]);
  let ownerEnded: Promise<void> | undefined;
  const waitForOwnerEnd = async () => {
    while (isOwned(path) && !stopped.aborted) await pause(clock, OWNER_POLL_MS, stopped);
    // After an interrupt or close, this promise must not report the replay as blocked.
    if (stopped.aborted) await new Promise<never>(() => undefined);
  };
  return {
    store,
    isOwner: false,
    whyBlocked:
      'The `portaria serve` that ran the deliveries has ended; start it again to run the enqueued ones.',
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
    destination: err.stream,
  });
}
