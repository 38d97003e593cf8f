import type { Hono } from 'hono';
import { collectDefaultMetrics, Registry as MetricsRegistry } from 'prom-client';
import type { Client } from './client/client.ts';
import type { Config } from './config/config.ts';
import { isLoopback } from './config/loopback.ts';
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.ts';
import { createRegistry, type Registry } from './handle/load/registry.ts';
import type { Definition } from './handle/define/definition.ts';
import { identify } from './identify/identify.ts';
import { type Clock, systemClock } from './kernel/time/clock.ts';
import { requireSupportedNode } from './kernel/node-version.ts';
import type { Logger } from './kernel/logger.ts';
import type { Random } from './kernel/random.ts';
import { loadProvider } from './load-provider.ts';
import { loadRegistry } from './load-registry.ts';
import { createOpsApp } from './ops/ops-app.ts';
import { packageVersion } from './kernel/files/package-files.ts';
import { parse } from './parse/parse.ts';
import { createPipeline, type Pipeline } from './pipeline.ts';
import { listen, type Listener } from './receive/listen.ts';
import { createDirectRoute } from './receive/direct-route.ts';
import { createReceiveApp } from './receive/receive-app.ts';
import { createBodyRoom } from './receive/body-room.ts';
import type { ReceiveOptions } from './receive/receive-webhook.ts';
import type { WireEnv } from './receive/wire.ts';
import { openSqliteStore } from './store/sqlite/open-sqlite-store.ts';
import type { Store } from './store/store.ts';
import { createLogger } from './telemetry/create-logger.ts';
import { fanOut } from './telemetry/fan-out.ts';
import { createLogSubscriber } from './telemetry/log-subscriber.ts';
import { createMetricsSubscriber } from './telemetry/metrics-subscriber.ts';
import { createVerifier } from './verify/create-verifier.ts';

/** Bytes of long bodies in memory at a time; more when single ones may be very long. */
const MIN_BODY_ROOM = 128 * 1024 * 1024;

export interface PortariaOptions {
  /** From `loadConfig`. */
  readonly config: Config;
  /** Handlers and machines; unless given, those of the configured folder. */
  readonly handlers?: readonly Definition[];
  /** The provider's API, as handlers get it; unless given, that of the configured address and key. */
  readonly client?: Client;
  readonly log?: Logger;
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Called once when the disk can no longer be trusted (an fsync failed, the
   * file is damaged): end the process, because a later fsync may falsely
   * succeed. What was acknowledged before is safe.
   */
  readonly onFatal?: (error: Error) => void;
}

/** A whole Portaria. Nothing runs until `start`, or `dispatcher.start` when embedded. */
export interface Portaria {
  readonly store: Store;
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
  /** Takes a delivery the whole way to the disk, for those who receive it by other means. */
  readonly receive: Pipeline;
  /** The public port as a Hono app, to be mounted in one's own. */
  readonly app: Hono<WireEnv>;
  /** The private port as a Hono app. */
  readonly opsApp: { readonly fetch: (request: Request) => Response | Promise<Response> };
  /** Recovers what a crash left, dispatches, and listens on both ports. */
  start(): Promise<Addresses>;
  /**
   * Stops accepting, finishes or hands back what runs, closes the store. A
   * second call ends the grace for what still runs.
   */
  stop(): Promise<void>;
}

/** Where the two ports ended up, in case free ones were asked for. */
export interface Addresses {
  readonly port: number;
  readonly opsPort: number;
}

/**
 * Puts a Portaria together: the only place where parts meet.
 *
 * @throws PortariaError `store-*` when the database cannot be used, and
 *   `handler-invalid` when a handler is no good; nothing is left open then.
 */
export async function createPortaria(options: PortariaOptions): Promise<Portaria> {
  requireSupportedNode();
  const { config, clock = systemClock, random = Math.random } = options;
  const log =
    options.log ??
    (await createLogger({
      level: config.log.level,
      format: config.log.format ?? 'json',
      isTerminal: process.stdout.isTTY,
    }));
  const registry =
    options.handlers === undefined ? await loadRegistry(config) : createRegistry(options.handlers);

  const metrics = new MetricsRegistry();
  collectDefaultMetrics({ register: metrics });
  const logSubscriber = createLogSubscriber(log, {
    clock,
    isVerified: (source) => (config.sources.get(source)?.scheme ?? 'none') !== 'none',
  });
  const telemetry = fanOut([logSubscriber.report, createMetricsSubscriber(metrics)]);
  const provider = await loadProvider(config, { clock, random, telemetry, given: options.client });
  const verifiers = new Map(
    [...config.sources].map(([name, scheme]) => [name, createVerifier(scheme, { clock })] as const),
  );

  const store = await openSqliteStore({
    path: config.database,
    role: 'owner',
    maxQuarantineBytes: config.maxQuarantineBytes,
    clock,
    random,
    ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
    onWarning: (warning) => {
      log.warn({}, warning);
    },
  });
  const { concurrency } = config;
  const dispatcher = createDispatcher({
    store,
    registry,
    clock,
    random,
    telemetry,
    log,
    ...provider,
    concurrency,
  });
  const receive = createPipeline({
    verifiers,
    inbox: store,
    routesFor: (event) => registry.routesFor(event),
    dispatch: () => {
      dispatcher.wake();
    },
    telemetry,
  });

  let state: 'made' | 'running' | 'stopping' = 'made';
  const listeners: Listener[] = [];
  let started: Promise<Addresses> | undefined;
  let stopped: Promise<void> | undefined;

  const receiving: ReceiveOptions = {
    receive,
    sources: config.sources,
    loopbackOnly: loopbackOnlySources(config),
    maxBodyBytes: config.maxBodyBytes,
    bodyTimeoutMs: config.bodyTimeoutMs,
    bodyRoom: createBodyRoom(Math.max(MIN_BODY_ROOM, 4 * config.maxBodyBytes)),
    onInvalid: config.onInvalid,
    clock,
    telemetry,
    log,
    stopping: () => state === 'stopping',
    healthy: () => store.healthy(),
  };
  const app = createReceiveApp(receiving);
  const direct = createDirectRoute(receiving);
  const opsApp = createOpsApp({
    store,
    registry,
    dispatcher,
    metrics,
    token: config.ops.token,
    notReady: () => (state === 'running' ? [] : [state === 'made' ? 'not started yet' : 'stopping']),
    parse,
    identify,
    clock,
    log,
    telemetry,
    version: packageVersion(),
  });

  async function open(): Promise<Addresses> {
    const { bodyTimeoutMs, host, port, ops } = config;
    // Both addresses are taken before anything is dispatched: a taken port must not run handlers.
    const publicPort = await listen({ app, direct, host, port, clock, bodyTimeoutMs, log });
    listeners.push(publicPort);
    const opsPort = await listen({ app: opsApp, host: ops.host, port: ops.port, clock, bodyTimeoutMs, log });
    listeners.push(opsPort);
    await dispatcher.start();
    if (state === 'made') state = 'running';
    // At once, so that it is of the same version as the rest, and there when file descriptors run
    // short; a request of an operator says so if it fails.
    opsApp.load().catch(() => undefined);
    return { port: publicPort.port, opsPort: opsPort.port };
  }

  async function shutDown(): Promise<void> {
    state = 'stopping';
    // A start under way comes to its end first, well or not; whoever started it hears which.
    await started?.catch(() => undefined);
    // Until all is finished or handed back, senders are told 503 with Retry-After, and probes why.
    await dispatcher.stop(config.shutdownGraceMs);
    // Requests in flight may still be committed and acknowledged; their deliveries run after the next start.
    await Promise.all(listeners.map((listener) => listener.close(config.shutdownGraceMs)));
    await store.close();
    logSubscriber.close();
  }

  return {
    store,
    registry,
    dispatcher,
    receive,
    app,
    opsApp,
    start: () => (started ??= open()),
    stop() {
      if (stopped === undefined) return (stopped = shutDown());
      void dispatcher.stop(0);
      for (const listener of listeners) void listener.close(0);
      return stopped;
    },
  };
}

/** Where nobody is verified and the address alone keeps strangers out, the name that is asked for counts, too. */
function loopbackOnlySources({ host, sources }: Config): ReadonlySet<string> {
  if (!isLoopback(host)) return new Set();
  return new Set([...sources].flatMap(([name, { scheme }]) => (scheme === 'none' ? [name] : [])));
}
