import { hostname } from 'node:os';
import type { Hono } from 'hono';
import { collectDefaultMetrics, Registry as MetricsRegistry } from 'prom-client';
import { unknownExpectations } from './attention/expectations.ts';
import { createObserve } from './attention/observe.ts';
import { unregisteredWarning } from './attention/unregistered-handlers.ts';
import { createOperationSignals } from './attention/operation-signals.ts';
import { createAlertSender } from './attention/send-alerts.ts';
import { watchOperation } from './attention/watch-operation.ts';
import type { Client } from './client/client.ts';
import type { Config } from './config/config.ts';
import { withDefinedSources } from './config/defined-sources.ts';
import { loopbackOnlySources, maySendSamples } from './config/loopback.ts';
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.ts';
import type { KindDefinition } from './handle/kinds/kind-definition.ts';
import type { SourceDefinition } from './handle/kinds/source-definition.ts';
import type { Registry } from './handle/load/registry.ts';
import type { Definition } from './handle/define/definition.ts';
import { createIdentify } from './identify/identify.ts';
import { type Clock, systemClock } from './kernel/time/clock.ts';
import { createFollowingClock } from './kernel/time/following-clock.ts';
import { requireSupportedNode } from './kernel/node-version.ts';
import type { Logger } from './kernel/logger.ts';
import type { Random } from './kernel/random.ts';
import { loadProviderApi } from './load-provider-api.ts';
import { registryOf } from './load-registry.ts';
import { createOpsApp } from './ops/ops-app.ts';
import { webhookAddressOf } from './config/webhook-address.ts';
import { packageVersion } from './kernel/files/package-files.ts';
import { createActivityCounts } from './serving/count-activity.ts';
import { keepWithinRetention } from './serving/keep-within-retention.ts';
import { recordActivity } from './serving/record-activity.ts';
import { createProcessRecord, handledNames } from './serving/register-process.ts';
import { createSampleSender } from './operate/contract/send-sample.ts';
import { createParse } from './parse/parse.ts';
import { createPipeline, createSamplePipeline, type Pipeline, type PipelineDeps } from './pipeline.ts';
import { serveFetchApp } from './receive/fetch-listener.ts';
import { listen, type Listener } from './receive/listen.ts';
import { createPublicPort, servePublicPort } from './receive/public-port.ts';
import { createBodyMemory } from './receive/read-body.ts';
import { createReceiveApp, type ReceiveAppEnv } from './receive/receive-app.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { createLogger } from './telemetry/create-logger.ts';
import { fanOut } from './telemetry/fan-out.ts';
import { createTelemetryFeed } from './telemetry/feed.ts';
import { createLogSubscriber } from './telemetry/log-subscriber.ts';
import { createMetricsSubscriber } from './telemetry/metrics-subscriber.ts';
import { createVerifier } from './verify/create-verifier.ts';
import { signingHeaders } from './verify/sign-body.ts';

/** Memory for the long bodies of all requests, in bytes. It is at least four times the maximum body. */
const MIN_BODY_MEMORY_BYTES = 128 * 1024 * 1024;

export interface PortariaOptions {
  /** From `loadConfig`. */
  readonly config: Config;
  /** Handlers and machines. Default: those of the configured folder. */
  readonly handlers?: readonly Definition[];
  /** Results of `defineKind`, besides those of the configured folder. */
  readonly kinds?: readonly KindDefinition[];
  /** Results of `defineSource`, besides those of the configured folder. */
  readonly sources?: readonly SourceDefinition[];
  /** Client of the provider's API for handlers. Default: one with the configured address and key. */
  readonly client?: Client;
  readonly log?: Logger;
  /** Default: the machine's own clock; on PostgreSQL, one that goes by the clock of the database. */
  readonly clock?: Clock;
  readonly random?: Random;
  /**
   * Called once when the disk can no longer be trusted (an fsync failed, or the file is damaged). End the
   * process: a later fsync may falsely succeed. Webhooks acknowledged before are safe.
   */
  readonly onFatal?: (error: Error) => void;
}

/** A whole Portaria. Nothing runs before `start`, or `dispatcher.start` when it is embedded. */
export interface Portaria {
  /** The given configuration, with the sources that `defineSource` defines. */
  readonly config: Config;
  readonly store: Store;
  readonly registry: Registry;
  readonly dispatcher: Dispatcher;
  /** Verifies, parses and stores a delivery that was received by other means than the public port. */
  readonly receive: Pipeline;
  /** The public port as a Hono app, for mounting in another. */
  readonly app: Hono<ReceiveAppEnv>;
  /** The private port as a Hono app. */
  readonly opsApp: { readonly fetch: (request: Request) => Response | Promise<Response> };
  /** Recovers what a crash left, dispatches, and listens on both ports. */
  start(): Promise<Addresses>;
  /**
   * Stops accepting webhooks, finishes or releases running deliveries, and closes the store. A second call
   * ends the grace period at once.
   */
  stop(): Promise<void>;
}

/** The two ports in use, also if the configuration asks for any free port. */
export interface Addresses {
  readonly port: number;
  readonly opsPort: number;
}

/**
 * Creates a Portaria from its parts. This is the only composition root: configuration, telemetry, store,
 * dispatcher, pipeline, ports, in this order.
 *
 * @throws PortariaError `store-*` when the database cannot be used, and `handler-invalid` when a handler
 *   is not valid; nothing is left open then
 */
export async function createPortaria(options: PortariaOptions): Promise<Portaria> {
  requireSupportedNode();
  const { clock = createFollowingClock(systemClock), random = Math.random } = options;
  const registry = await registryOf(options);
  const { contract } = registry;
  const config = withDefinedSources(options.config, contract.sources);
  const log =
    options.log ??
    (await createLogger({
      level: config.log.level,
      format: config.log.format ?? 'json',
      isTerminal: process.stdout.isTTY,
      colors: process.stdout.isTTY && process.stdout.hasColors(),
    }));
  for (const file of registry.emptyFiles ?? []) log.warn({ file }, 'an empty handlers file is ignored');
  const { replacedMachines: machines = [] } = registry;
  if (machines.length > 0)
    log.info(
      { machines },
      'shipped machines do not run: PORTARIA_HANDLERS takes their place; export them in a file of it to keep them (docs/handlers.md)',
    );
  const parse = createParse(contract, config.onUnknownValue);
  const identify = createIdentify(contract);

  const metrics = new MetricsRegistry();
  collectDefaultMetrics({ register: metrics });
  const logSubscriber = createLogSubscriber(log, {
    clock,
    isVerified: (source) => (config.sources.get(source)?.scheme ?? 'none') !== 'none',
  });
  const signals = createOperationSignals(clock);
  const activityCounts = createActivityCounts(clock);
  const feed = createTelemetryFeed(log);
  const telemetry = fanOut([
    logSubscriber.report,
    createMetricsSubscriber(metrics, contract),
    signals.report,
    activityCounts.report,
    feed.report,
  ]);
  const provider = await loadProviderApi(config, { clock, random, telemetry, given: options.client });
  const verifiers = new Map(
    [...config.sources].map(([name, scheme]) => [name, createVerifier(scheme, { clock })] as const),
  );

  const store = await openStore(config, {
    role: 'owner',
    dataOf: contract.dataOf,
    clock,
    random,
    ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
    onWarning: (warning) => {
      log.warn({}, warning);
    },
  });
  const processRecord = createProcessRecord({
    store,
    registry,
    clock,
    random,
    about: { host: hostname(), pid: process.pid, version: packageVersion() },
  });
  const runner = createDispatcher({
    store,
    registry,
    clock,
    random,
    telemetry,
    log,
    ...provider,
    concurrency: config.concurrency,
  });
  const dispatcher: Dispatcher = {
    ...runner,
    async start() {
      await runner.start();
      await processRecord.write();
    },
  };
  const stages: PipelineDeps = {
    verifiers,
    parse,
    identify,
    inbox: store,
    routesFor: (event) => registry.routesFor(event, event.delivery.source),
    dispatch: () => {
      dispatcher.wake();
    },
    telemetry,
  };
  const receive = createPipeline(stages);
  const samples = createSampleSender({
    contract,
    sources: config.sources.keys(),
    clock,
    version: packageVersion(),
    sign(source, body, message) {
      const scheme = config.sources.get(source);
      return scheme && signingHeaders(scheme, body, message);
    },
    receive: createSamplePipeline(stages),
  });

  const operation = watchOperation({
    store,
    leads: () => store.leads(),
    clock,
    telemetry,
    signals,
    observe: createObserve({
      store,
      clock,
      expectations: config.expected,
      sources: new Set(config.sources.keys()),
      ask: provider?.findChanges ?? null,
      knows: (source, kind) => contract.find(source, kind) !== undefined,
      deliveryNames: () => handledNames(store, registry),
    }),
    openBreakers: () => dispatcher.status().openBreakers,
    alerts:
      config.alert === null
        ? null
        : createAlertSender({ target: config.alert, store, clock, random, telemetry, fetch }),
  });

  const activity = recordActivity({ store, counts: activityCounts, clock, log });

  let state: 'created' | 'running' | 'stopping' = 'created';
  const publicPort = createPublicPort({
    receive,
    sources: config.sources,
    loopbackOnly: loopbackOnlySources(config),
    maxBodyBytes: config.maxBodyBytes,
    bodyTimeoutMs: config.bodyTimeoutMs,
    bodyMemory: createBodyMemory(Math.max(MIN_BODY_MEMORY_BYTES, 4 * config.maxBodyBytes)),
    onInvalid: config.onInvalid,
    clock,
    telemetry,
    log,
    stopping: () => state === 'stopping',
    healthy: () => store.healthy(),
  });
  const opsApp = createOpsApp({
    store,
    registry,
    dispatcher,
    metrics,
    token: config.ops.token,
    viewToken: config.ops.viewToken,
    singleSignOn: config.ops.signOn,
    tokenSignIn: config.ops.tokenSignIn,
    notReady: () => (state === 'running' ? [] : [state === 'created' ? 'not started yet' : 'stopping']),
    observation: () => operation.latest(),
    activity: () => activityCounts.peek(),
    webhookAddress: (source) => webhookAddressOf(config, source, listeners[0]?.port),
    parse,
    identify,
    clock,
    log,
    telemetry,
    feed,
    keep: config.keep,
    version: packageVersion(),
    samples: maySendSamples(config) ? samples : null,
  });

  const listeners: Listener[] = [];
  let started: Promise<Addresses> | undefined;
  let stopped: Promise<void> | undefined;
  let stopRetention: () => Promise<void> = () => Promise.resolve();
  let loaded: Promise<unknown> = Promise.resolve();
  let stopJobs: () => Promise<void> = () => Promise.resolve();

  /** Runs the plans that operators start. Loaded after the start, with the console. */
  async function startJobs(): Promise<void> {
    const { serveJobs } = await import('./jobs/serve-jobs.ts');
    if (state !== 'running') return;
    stopJobs = serveJobs({
      store,
      registry,
      parse,
      identify,
      clock,
      wake: () => {
        dispatcher.wake();
      },
      leads: () => store.leads(),
      warn: (warning) => {
        log.warn({}, warning);
      },
    });
  }

  async function startUp(): Promise<Addresses> {
    const { bodyTimeoutMs, host, port, ops } = config;
    const handlePublic = servePublicPort(publicPort, log);
    const handleOps = serveFetchApp(opsApp);
    // Both ports are bound before anything is dispatched: handlers must not run when a port is in use.
    const publicListener = await listen({ handle: handlePublic, host, port, clock, bodyTimeoutMs, log });
    listeners.push(publicListener);
    const opsListener = await listen({
      handle: handleOps,
      host: ops.host,
      port: ops.port,
      clock,
      bodyTimeoutMs,
      log,
    });
    listeners.push(opsListener);
    await dispatcher.start();
    if (state === 'created') state = 'running';
    // Loaded now, while file descriptors are left and the files on disk are of this version. A failure
    // shows up in the first request.
    loaded = Promise.allSettled([opsApp.load(), startJobs()]);
    if (state === 'running') {
      operation.start();
      activity.start();
      for (const warning of unknownExpectations(config.expected, contract)) log.warn({}, warning);
      const machines = registry.definitions.filter((definition) => definition.type === 'machine');
      stopRetention = keepWithinRetention({
        ...{ store, machines, clock, telemetry, keep: config.keep },
        leads: () => store.leads(),
      });
      void warnOfUnregistered();
    }
    return { port: publicListener.port, opsPort: opsListener.port };
  }

  /** The watch of the operation reports them, too; whoever has just started the process reads the log now. */
  async function warnOfUnregistered(): Promise<void> {
    // Only a warning: a store that cannot be read is reported where it matters.
    const totals = await store.totals().catch(() => null);
    const warning = totals && unregisteredWarning(totals, await handledNames(store, registry));
    if (warning !== null) log.warn({}, warning);
  }

  async function shutDown(): Promise<void> {
    state = 'stopping';
    // A start in progress ends first; the caller of `start` gets its error.
    await started?.catch(() => undefined);
    // Open streams would keep the private port from closing.
    feed.close();
    await stopRetention();
    await stopJobs();
    // Until all deliveries are finished or released, senders get 503 with Retry-After and probes the reason.
    await dispatcher.stop(config.shutdownGraceMs);
    await processRecord.remove();
    // Requests in flight may still be stored and acknowledged; their deliveries run after the next start.
    await Promise.all(listeners.map((listener) => listener.close(config.shutdownGraceMs)));
    await operation.stop();
    await opsApp.close();
    await activity.stop();
    await store.close();
    // What the start began to import is loaded before the caller may end: an import that is cut off stays failed.
    await loaded;
    logSubscriber.close();
  }

  return {
    config,
    store,
    registry,
    dispatcher,
    receive,
    app: createReceiveApp(publicPort),
    opsApp,
    start: () => (started ??= startUp()),
    stop() {
      if (stopped === undefined) return (stopped = shutDown());
      void dispatcher.stop(0);
      for (const listener of listeners) void listener.close(0);
      return stopped;
    },
  };
}
