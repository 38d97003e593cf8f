import type { Config } from '../../../config/config.ts';
import { createDispatcher } from '../../../dispatch/dispatcher.ts';
import type { Registry } from '../../../handle/load/registry.ts';
import type { Clock } from '../../../kernel/time/clock.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { pause } from '../../../kernel/time/pause.ts';
import { loadProvider } from '../../../load-provider.ts';
import type { ReplayRunner } from '../../../replay/replay-run.ts';
import { openSqliteStore } from '../../../store/sqlite/open-sqlite-store.ts';
import { isOwned } from '../../../store/sqlite/file/owner-lock.ts';
import type { Store } from '../../../store/store.ts';
import { createLogger } from '../../../telemetry/create-logger.ts';
import { fanOut } from '../../../telemetry/fan-out.ts';
import { createLogSubscriber } from '../../../telemetry/log-subscriber.ts';
import type { Session } from '../../session.ts';
import { watchStrayErrors } from '../../stray-errors.ts';

/** The store, and whoever runs the deliveries of a replay. */
export interface OpenRunner extends ReplayRunner {
  readonly store: Store;
  /** Whether the deliveries run in this process. */
  readonly isOwner: boolean;
  /** What it means when nothing of the replay can run any more. */
  readonly whyBlocked: string;
  idle(): Promise<void>;
  /** Finishes or hands back what runs here; the store stays open. */
  release(): Promise<void>;
  close(): Promise<void>;
}

/** How soon a `serve` that ended is missed, in milliseconds. */
const OWNER_LOOK_MS = 1000;

interface RunnerOptions {
  readonly signal: AbortSignal;
  readonly concurrency: number | undefined;
}

/**
 * Beside a running `serve`, which owns the store, this process only enqueues.
 * Without one it becomes the owner, and runs this replay's deliveries alone.
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
      const store = await openSqliteStore({ path, role: 'owner', clock });
      return await ownRunner(store, session, registry, replay, { ...options, config });
    } catch (error) {
      // Somebody was quicker.
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
    ...(await loadProvider(config, { clock, random, telemetry })),
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
      'The rest waits behind earlier deliveries of the same subjects: start `portaria serve`, which runs all of them.',
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
  const over = AbortSignal.any([signal, closed.signal]);
  let gone: Promise<void> | undefined;
  const ownerGone = async () => {
    while (isOwned(path) && !over.aborted) await pause(clock, OWNER_LOOK_MS, over);
    // Interrupted or closed: that is for others to tell.
    if (over.aborted) await new Promise<never>(() => undefined);
  };
  return {
    store,
    isOwner: false,
    whyBlocked:
      'The `portaria serve` that ran the deliveries has ended; what is enqueued runs when it is back.',
    // The owner looks for new work by itself.
    wake: () => undefined,
    idle: () => (gone ??= ownerGone()),
    release: () => Promise.resolve(),
    async close() {
      closed.abort();
      await store.close();
    },
  };
}

/** Warnings and worse, beside the progress; everything when the settings ask for debug. */
function createReplayLogger({ log }: Config, err: Session['terminal']['err']): Promise<Logger> {
  return createLogger({
    level: log.level === 'info' ? 'warn' : log.level,
    format: log.format ?? (err.isTerminal ? 'pretty' : 'json'),
    isTerminal: err.isTerminal,
    destination: err.stream,
  });
}
