/** The composition root: puts a whole Portaria together from its configuration. */
import { hostname } from 'node:os';
import type { Hono } from 'hono';
import { collectDefaultMetrics, Registry as MetricsRegistry } from 'prom-client';
import { createOperationSignals } from './attention/operation-signals.ts';
import type { Client } from './client/client.ts';
import { composeOperation } from './compose-operation.ts';
import type { Config } from './config/config.ts';
import { withDefinedSources } from './config/defined-sources.ts';
import { loopbackOnlySources, maySendSamples } from './config/loopback.ts';
import { createDispatcher, type Dispatcher } from './dispatch/dispatcher.ts';
import type { KindDefinition } from './handle/kinds/kind-definition.ts';
import type { SourceDefinition } from './handle/kinds/source-definition.ts';
import type { Registry } from './handle/load/registry.ts';
import type { Definition } from './handle/define/definition.ts';
import { createIdentify } from './identify/identify.ts';
import { keyedIds } from './store/erased-content.ts';
import { patientFetch } from './kernel/http/patient-fetch.ts';
import { type Clock, systemClock } from './kernel/time/clock.ts';
import { createFollowingClock } from './kernel/time/following-clock.ts';
import { PortariaError } from './kernel/errors.ts';
import { nodeProblem } from './kernel/node-version.ts';
import type { Logger } from './kernel/logger.ts';
import type { Random } from './kernel/random.ts';
import { createLifecycle, type Addresses, type LifecycleState } from './lifecycle.ts';
import { loadProviderApi } from './load-provider-api.ts';
import { registryOf } from './load-registry.ts';
import { createOpsApp } from './ops/ops-app.ts';
import type { OpsDeps } from './ops/ops-deps.ts';
import { webhookAddressOf } from './config/webhook-address.ts';
import { packageVersion } from './kernel/files/package-files.ts';
import type { RepairSubject } from './reconcile/repair-subject.ts';
import { createActivityCounts } from './serving/count-activity.ts';
import { backUpRegularly } from './serving/back-up-regularly.ts';
import { keepWithinRetention } from './serving/keep-within-retention.ts';
import { recordActivity } from './serving/record-activity.ts';
import { createProcessRecord, handledNames } from './serving/register-process.ts';
import { checkTransactions } from './serving/check-transactions.ts';
import { createWatchdog } from './serving/watchdog/watchdog.ts';
import { createSampleSender } from './operate/contract/send-sample.ts';
import { createParse } from './parse/parse.ts';
import { createJobService } from './jobs/job-service.ts';
import { createPost } from './jobs/replay/post-event.ts';
import { withSettledAccept } from './reconcile/settle-webhook.ts';
import { createPipeline, createSamplePipeline, type Pipeline, type PipelineDeps } from './pipeline.ts';
import { createPublicPort, createReceiveApp, type ReceiveAppEnv } from './receive/public-port.ts';
import { createBodyMemory } from './receive/read-body.ts';
import { openStore } from './store/open-store.ts';
import type { Store } from './store/store.ts';
import { createLogger } from './telemetry/create-logger.ts';
import { fanOut } from './telemetry/telemetry.ts';
import { createTelemetryFeed } from './telemetry/feed.ts';
import { createLogSubscriber } from './telemetry/log-subscriber.ts';
import { createMetricsSubscriber } from './telemetry/metrics-subscriber.ts';
import { createOpenTelemetry } from './telemetry/opentelemetry/find-opentelemetry.ts';
import { createSourceStages } from './source-stages.ts';
import { signingHeaders, signingQuery } from './verify/sign-body.ts';

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
  /** Ends the process when its event loop does not turn for `config.stallTimeoutMs`. Default: false. */
  readonly endsWhenStalled?: boolean;
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
  /** The private port as a Hono app. `env` is that of `@hono/node-server`: without a token, its peer must be local. */
  readonly opsApp: { readonly fetch: (request: Request, env?: object) => Response | Promise<Response> };
  /** Recovers what a crash left, dispatches, and listens on both ports. */
  start(): Promise<Addresses>;
  /**
   * Stops accepting webhooks, finishes or releases running deliveries, and closes the store. A second call
   * ends the grace period at once.
   */
  stop(): Promise<void>;
}

/**
 * Creates a Portaria from its parts. This is the only composition root: configuration, telemetry, store,
 * dispatcher, pipeline, ports, in this order.
 *
 * @throws PortariaError `misconfigured` when Node.js is too old, `store-*` when the database cannot be used, and `handler-invalid` when a handler
 *   is not valid; nothing is left open then
 */
export async function createPortaria(options: PortariaOptions): Promise<Portaria> {
  // Before a database is opened: on an older Node.js, the SQLite binding ends the process with a segmentation fault.
  const problem = nodeProblem();
  if (problem !== null) throw new PortariaError('misconfigured', problem);
  const { clock = createFollowingClock(systemClock), random = Math.random } = options;
  const registry = await registryOf(options);
  const { contract } = registry;
  const config = withDefinedSources(options.config, contract.sources);
  const logging = {
    level: config.log.level,
    format: config.log.format ?? 'json',
    colors: process.stdout.isTTY && process.stdout.hasColors(),
  };
  const log = options.log ?? (await createLogger(logging));
  for (const file of registry.emptyFiles ?? []) log.warn({ file }, 'an empty handlers file is ignored');
  const { replacedMachines: machines = [] } = registry;
  if (machines.length > 0)
    log.info(
      { machines },
      'shipped machines do not run: PORTARIA_HANDLERS takes their place; export them in a file of it to keep them (docs/handlers.md)',
    );
  const parse = createParse(contract, config.onUnknownValue);

  const metrics = new MetricsRegistry();
  collectDefaultMetrics({ register: metrics });
  const logSubscriber = createLogSubscriber(log, {
    clock,
    isVerified: (name) => {
      const source = config.sources.get(name);
      return source !== undefined && source.verify.scheme !== 'none' && source.observe === undefined;
    },
  });
  const signals = createOperationSignals(clock);
  const activityCounts = createActivityCounts(clock);
  const feed = createTelemetryFeed(log);
  const { find, tracing, report } = createOpenTelemetry([process.cwd(), config.handlersFolder ?? []].flat(), {
    version: packageVersion(),
    log,
  });
  const telemetry = fanOut(
    [
      logSubscriber.report,
      createMetricsSubscriber(metrics, contract),
      signals.report,
      activityCounts.report,
      feed.report,
      report,
    ],
    log,
  );
  const provider = await loadProviderApi(config, { clock, random, telemetry, given: options.client });
  const { verifiers, answers, pings } = createSourceStages(config, { contract, clock });

  const warn = (warning: string): void => {
    log.warn({}, warning);
  };
  const opened = await openStore(config, {
    role: 'owner',
    dataOf: contract.dataOf,
    clock,
    random,
    ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
    onWarning: warn,
  });
  const store = withSettledAccept(opened, { registry, clock });
  const identify = createIdentify(contract, keyedIds(await store.erasureKey()));
  const leads = (): boolean => store.leads();
  const processRecord = createProcessRecord({
    store,
    registry,
    clock,
    random,
    log,
    about: { host: hostname(), pid: process.pid, version: packageVersion() },
  });
  const watchdog =
    options.endsWhenStalled === true && config.stallTimeoutMs > 0
      ? createWatchdog(config, {
          // JSON, whatever the format: what makes lines for people does not write them at once.
          logging: { ...logging, format: 'json' },
          log,
        })
      : undefined;
  const runner = createDispatcher({
    store,
    registry,
    clock,
    random,
    telemetry,
    log,
    ...provider,
    concurrency: config.concurrency,
    running: watchdog?.running,
    tracing,
  });
  const wake = (): void => {
    runner.wake();
  };
  let repairer: Promise<RepairSubject> | undefined;
  /** One for jobs and for what the process repairs by itself. It is loaded with what runs jobs. */
  const loadRepairer = (): Promise<RepairSubject> =>
    (repairer ??= import('./reconcile/repair-subject.ts').then(({ createRepairSubject }) =>
      createRepairSubject({
        ...{ store, registry, parse, identify, clock, keepMs: config.keep.events },
        client: (source) => provider?.ownClient(source) ?? null,
      }),
    ));
  const jobs = createJobService(async () => {
    const { serveJobs } = await import('./jobs/run-job.ts');
    const repair = await loadRepairer();
    const postTo = createPost(config.posting, { fetch: patientFetch, clock });
    return () =>
      serveJobs({ store, registry, parse, identify, clock, random, wake, leads, warn, postTo, repair });
  });
  const dispatcher: Dispatcher = {
    ...runner,
    async start() {
      find();
      await checkTransactions(registry.definitions, { concurrency: config.concurrency, clock, log });
      watchdog?.start();
      await runner.start();
      await processRecord.write();
      jobs.start();
    },
    async stop(graceMs) {
      watchdog?.stopWithin(graceMs);
      await jobs.stop();
      await runner.stop(graceMs);
      watchdog?.end();
    },
  };
  const stages: PipelineDeps = {
    verifiers,
    pings,
    parse,
    identify,
    inbox: store,
    routesFor: (event) => registry.routesFor(event, event.delivery.source),
    dispatch: wake,
    telemetry,
    tracing,
  };
  const receive = createPipeline(stages);
  const receiveSample = createSamplePipeline(stages);
  const samples = createSampleSender({
    contract,
    sources: config.sources.keys(),
    clock,
    version: packageVersion(),
    sign(source, body, message) {
      const scheme = config.sources.get(source)?.verify;
      return scheme && signingHeaders(scheme, body, message);
    },
    receive(delivery) {
      const scheme = config.sources.get(delivery.source)?.verify;
      return receiveSample({
        ...{ ...delivery, method: 'POST', path: '/webhooks' },
        ...(scheme && { query: signingQuery(scheme) }),
      });
    },
  });

  const operation = composeOperation({
    ...{ config, store, contract, clock, random, telemetry, signals, provider, leads },
    deliveryNames: () => handledNames(store, registry),
    openBreakers: () => dispatcher.status().openBreakers,
  });
  const activity = recordActivity({ store, counts: activityCounts, clock, log });

  const state: LifecycleState = { phase: 'created' };
  const publicPort = createPublicPort({
    receive,
    sources: config.sources,
    answers,
    loopbackOnly: loopbackOnlySources(config),
    maxBodyBytes: config.maxBodyBytes,
    bodyTimeoutMs: config.bodyTimeoutMs,
    bodyMemory: createBodyMemory(Math.max(MIN_BODY_MEMORY_BYTES, 4 * config.maxBodyBytes)),
    onInvalid: config.onInvalid,
    clock,
    telemetry,
    log,
    stopping: () => state.phase === 'stopping',
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
    notReady: () => notReady(state),
    observation: () => operation.latest(),
    activity: () => activityCounts.peek(),
    webhookAddress: (source) => webhookAddressOf(config, source, state.port),
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

  const lifecycle = createLifecycle(state, {
    ...{ config, store, registry, dispatcher, processRecord, publicPort },
    ...{ opsApp, operation, activity, clock, log },
    startReconciling: () =>
      provider?.own?.start({
        ...{ store, contract, clock, telemetry, leads, wake },
        repair: async (...asked) => (await loadRepairer())(...asked),
      }),
    startUpkeep() {
      const machines = registry.definitions.filter((definition) => definition.type === 'machine');
      const { backup, database, keep } = config;
      const backups = backup && backUpRegularly({ ...backup, database, store, clock, telemetry });
      const retention = keepWithinRetention({ store, machines, clock, telemetry, keep, leads });
      return backups === null ? [retention] : [retention, backups];
    },
    closeStreams() {
      feed.close();
    },
    closeLog() {
      logSubscriber.close();
    },
  });

  return {
    config,
    store,
    registry,
    dispatcher,
    receive,
    app: createReceiveApp(publicPort, answers),
    opsApp,
    ...lifecycle,
  };
}

/** Why the process is not ready, for its probe. */
function notReady({ phase }: LifecycleState): ReturnType<OpsDeps['notReady']> {
  if (phase === 'running') return [];
  return [phase === 'created' ? 'not started yet' : 'stopping'];
}
