/** The start and the stop of a process, in the orders that lose nothing. */
import { unknownExpectations } from './attention/expectations.ts';
import { unregisteredWarning } from './attention/unregistered-handlers.ts';
import type { KnowsKind } from './attention/unknown-kinds.ts';
import type { OperationWatch } from './attention/watch-operation.ts';
import type { Config } from './config/config.ts';
import type { Dispatcher } from './dispatch/dispatcher.ts';
import type { Registry } from './handle/load/registry.ts';
import type { Logger } from './kernel/logger.ts';
import { countOf } from './kernel/text/count.ts';
import type { Clock } from './kernel/time/clock.ts';
import { definedLater } from './operate/show/defined-later.ts';
import type { OpsApp } from './ops/ops-app.ts';
import { serveFetchApp } from './kernel/http/server/fetch-listener.ts';
import { listen, type Listener } from './kernel/http/server/listen.ts';
import { servePublicPort, type PublicPort } from './receive/public-port.ts';
import type { ActivityRecorder } from './serving/record-activity.ts';
import { handledNames, type ProcessRecord } from './serving/register-process.ts';
import type { Store } from './store/store.ts';

/** The two ports in use, also if the configuration asks for any free port. */
export interface Addresses {
  readonly port: number;
  readonly opsPort: number;
}

/** What the ports say about the process while it starts, runs and stops. */
export interface LifecycleState {
  phase: 'created' | 'running' | 'stopping';
  /** The public port; undefined before it is open. */
  port?: number;
}

/** What starts and stops with the process. */
interface LifecycleDeps {
  readonly config: Config;
  readonly store: Store;
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
  readonly processRecord: ProcessRecord;
  readonly publicPort: PublicPort;
  readonly opsApp: OpsApp;
  readonly operation: OperationWatch;
  readonly activity: ActivityRecorder;
  readonly clock: Clock;
  readonly log: Logger;
  /** Starts to look at the provider's records; returns what stops it, where it is on. */
  readonly startReconciling: () => (() => Promise<void>) | undefined;
  /** Starts retention and backups. Returns what stops each. */
  readonly startUpkeep: () => readonly (() => Promise<void>)[];
  /** Ends the streams of live pages, which would keep the private port open. */
  readonly closeStreams: () => void;
  readonly closeLog: () => void;
}

/** Starts and stops a whole Portaria, each once. */
export interface Lifecycle {
  start(): Promise<Addresses>;
  stop(): Promise<void>;
}

/** Starts the parts of a process in one order, and stops them in another that loses nothing. */
export function createLifecycle(state: LifecycleState, deps: LifecycleDeps): Lifecycle {
  const { config, store, registry, dispatcher, opsApp, operation, activity, clock, log } = deps;
  const listeners: Listener[] = [];
  let started: Promise<Addresses> | undefined;
  let stopped: Promise<void> | undefined;
  let loaded: Promise<unknown> = Promise.resolve();
  let upkeep: ReturnType<LifecycleDeps['startUpkeep']> = [];
  let stopReconciling: (() => Promise<void>) | undefined;

  async function startUp(): Promise<Addresses> {
    const { bodyTimeoutMs, host, port, ops } = config;
    // Both ports are bound before anything is dispatched: handlers must not run when a port is in use.
    const handlePublic = servePublicPort(deps.publicPort, log);
    const publicListener = await listen({
      ...{ handle: handlePublic, host, port, clock, bodyTimeoutMs, log },
      settings: { host: 'PORTARIA_HOST', port: 'PORTARIA_PORT' },
    });
    listeners.push(publicListener);
    state.port = publicListener.port;
    const handleOps = serveFetchApp(opsApp);
    const opsListener = await listen({
      ...{ handle: handleOps, host: ops.host, port: ops.port, clock, bodyTimeoutMs, log },
      settings: { host: 'PORTARIA_OPS_HOST', port: 'PORTARIA_OPS_PORT' },
    });
    listeners.push(opsListener);
    await dispatcher.start();
    if (state.phase === 'created') state.phase = 'running';
    // Loaded now, while file descriptors are left and the files on disk are of this version. A failure
    // shows up in the first request.
    loaded = Promise.allSettled([opsApp.load()]);
    if (isRunning()) {
      operation.start();
      activity.start();
      upkeep = deps.startUpkeep();
      stopReconciling = deps.startReconciling();
      void warnOfWhatIsMissing();
    }
    return { port: publicListener.port, opsPort: opsListener.port };
  }

  /** Warns in the log, too, because an operator who has just started the process reads it. */
  async function warnOfWhatIsMissing(): Promise<void> {
    for (const warning of unknownExpectations(config.expected, registry.contract)) log.warn({}, warning);
    // Only a warning: a store that cannot be read is reported where it matters.
    const totals = await store.totals().catch(() => null);
    const warning = totals && unregisteredWarning(totals, await handledNames(store, registry));
    if (warning !== null) log.warn({}, warning);
    // Of a kind of the specification, an operator has released them from quarantine as they were.
    const knows: KnowsKind = (source, kind) =>
      (registry.contract.find(source, kind)?.origin ?? 'specification') !== 'specification';
    const later = await definedLater(store, knows).catch(() => []);
    const events = later.reduce((sum, each) => sum + each.events, 0);
    if (events > 0)
      log.warn(
        { kinds: later.map(({ kind }) => kind) },
        `${countOf(events, 'event')} came before ${events === 1 ? 'its kind was' : 'their kinds were'} defined, and no handler of the kind gets ${events === 1 ? 'it' : 'them'}: see portaria events recognize --plan`,
      );
  }

  /** A stop may come during any await of the start. */
  const isRunning = (): boolean => state.phase === 'running';

  async function shutDown(): Promise<void> {
    state.phase = 'stopping';
    // A start in progress ends first; the caller of `start` gets its error.
    await started?.catch(() => undefined);
    deps.closeStreams();
    await Promise.all([...upkeep.map((stop) => stop()), stopReconciling?.()]);
    // Until all deliveries are finished or released, senders get 503 with Retry-After and probes the reason.
    await dispatcher.stop(config.shutdownGraceMs);
    await deps.processRecord.remove();
    // Requests in flight may still be stored and acknowledged; their deliveries run after the next start.
    await Promise.all(listeners.map((listener) => listener.close(config.shutdownGraceMs)));
    await operation.stop();
    await opsApp.close();
    await activity.stop();
    await store.close();
    // What the start began to import is loaded before the caller may end: an import that is cut off stays failed.
    await loaded;
    deps.closeLog();
  }

  return {
    start: () => (started ??= startUp()),
    stop() {
      if (stopped === undefined) return (stopped = shutDown());
      void dispatcher.stop(0);
      for (const listener of listeners) void listener.close(0);
      return stopped;
    },
  };
}
