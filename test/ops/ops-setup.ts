import { EventEmitter } from 'node:events';
import { setImmediate as nextTick } from 'node:timers/promises';
import { Registry as MetricsRegistry } from 'prom-client';
import type { Observation } from '../../src/attention/observe.ts';
import type { Contract } from '../../src/contract/contract.ts';
import { createDispatcher } from '../../src/dispatch/dispatcher.ts';
import type { Receipt } from '../../src/event/receipt.ts';
import { createRegistry } from '../../src/handle/load/registry.ts';
import type { Definition } from '../../src/handle/define/definition.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import type { SignOnSettings } from '../../src/access/sign-on.ts';
import { serveJobs } from '../../src/jobs/run-job.ts';
import { createOpsApp } from '../../src/ops/ops-app.ts';
import type { OpsDeps } from '../../src/ops/ops-deps.ts';
import { createParse } from '../../src/parse/parse.ts';
import { createActivityCounts } from '../../src/serving/count-activity.ts';
import type { KeepFor } from '../../src/operate/change/prune.ts';
import { createSampleSender } from '../../src/operate/contract/send-sample.ts';
import { createPipeline, createSamplePipeline, type PipelineDeps } from '../../src/pipeline.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import type { UnwrittenActivity } from '../../src/store/activity.ts';
import type { Store } from '../../src/store/store.ts';
import { fanOut } from '../../src/telemetry/telemetry.ts';
import { createTelemetryFeed, type TelemetryFeed } from '../../src/telemetry/feed.ts';
import { createLogSubscriber } from '../../src/telemetry/log-subscriber.ts';
import { createMetricsSubscriber } from '../../src/telemetry/metrics-subscriber.ts';
import type { Clock } from '../../src/kernel/time/clock.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { testContext, type LogEntry } from '../../src/testing/test-context.ts';
import { createVerifier } from '../../src/verify/create-verifier.ts';
import { signingHeaders } from '../../src/verify/sign-body.ts';
import { specification } from '../../src/contract/specification.ts';

export type Row = Readonly<Record<string, unknown>>;

export interface OpsAnswer {
  readonly status: number;
  readonly body: Row;
  /** `data` of a list; empty elsewhere. */
  readonly rows: readonly Row[];
}

export interface OpsSetup {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly feed: TelemetryFeed;
  /** Unless false, handler `billing` fails at its only try, with a text of its own or this one. */
  failing: boolean | string;
  /** What the private port logged. */
  readonly logged: readonly LogEntry[];
  /** The address that requests come from. */
  peer: string;
  /** The connection that requests come over; null for one of its own for each. */
  connection: EventEmitter | null;
  /** What the watch has last found. */
  observation: Observation;
  /** What the process has counted and not yet written. */
  activity: () => UnwrittenActivity;
  /** Why the process says it is not ready. */
  reasons: ReturnType<OpsDeps['notReady']>;
  /** Posts an envelope, or any bytes, the whole way to the disk. */
  receive(
    body: unknown,
    options?: { readonly source?: string; readonly messageId?: string },
  ): Promise<Receipt>;
  /** Resolves when nothing is left to run. */
  settle(): Promise<void>;
  /** Runs the jobs of the store until each has ended, or for `turns` tenths of a second of the clock. */
  runJobs(turns?: number): Promise<void>;
  request(path: string, init?: RequestInit): Promise<Response>;
  get(path: string): Promise<OpsAnswer>;
  post(path: string, body: unknown): Promise<OpsAnswer>;
  close(): Promise<void>;
}

/** A private port over a store, in memory unless another one is opened, with a handler and a machine behind it. */
export async function setUpOps(
  options: {
    readonly token?: string;
    readonly viewToken?: string;
    readonly singleSignOn?: SignOnSettings;
    readonly tokenSignIn?: boolean;
    /** Wraps the store of the private port, for example to make it fail. */
    readonly wrapStore?: (store: Store) => Store;
    readonly maxQuarantineBytes?: number;
    /** Opens the store in the place of one in memory. */
    readonly openStore?: (clock: Clock) => Promise<Store>;
    /** Handlers and machines besides the two. */
    readonly definitions?: readonly Definition[];
    readonly contract?: Contract;
    readonly keep?: KeepFor;
    /** Whether samples may be sent. */
    readonly samples?: boolean;
  } = {},
): Promise<OpsSetup> {
  const clock = manualClock('2026-11-20T12:00:00Z');
  const random = seededRandom(7);
  const { log, logged } = testContext();
  const metrics = new MetricsRegistry();
  const feed = createTelemetryFeed(log);
  const activityCounts = createActivityCounts(clock);
  const telemetry = fanOut(
    [
      activityCounts.report,
      // Tests may silence the feed: another process stores events without a word.
      (name, fields) => {
        feed.report(name, fields);
      },
      createLogSubscriber(log, { clock, isVerified: () => false }).report,
      createMetricsSubscriber(metrics, specification),
    ],
    log,
  );
  const { maxQuarantineBytes = 1024 ** 3, contract = specification } = options;
  const [parse, identify] = [createParse(contract), createIdentify(contract, (id) => id)];
  const store =
    (await options.openStore?.(clock)) ??
    (await openSqliteStore({ path: ':memory:', role: 'owner', maxQuarantineBytes, clock, random }));

  const billing = defineHandler({
    name: 'billing',
    on: 'charge.*',
    retry: { attempts: 1 },
    handle() {
      if (setup.failing !== false)
        throw new Error(setup.failing === true ? 'the ledger is closed' : setup.failing);
    },
  });
  const chargeStatus = defineMachine({
    name: 'charge-status',
    on: 'charge.updated',
    initial: { status: 'none', companyTaxId: '', tax_id: '' },
    evolve: (_state, event) => ({
      status: event.data.status,
      companyTaxId: '',
      tax_id: String((event.data.company as { tax_id?: string } | null | undefined)?.tax_id ?? ''),
    }),
    anomalies: ({ after }) =>
      after.status === 'overdue' ? [`overdue is not expected of CNPJ ${after.tax_id}`] : [],
  });
  const registry = createRegistry([billing, chargeStatus, ...(options.definitions ?? [])], contract);
  const dispatcher = createDispatcher({ store, registry, clock, random, telemetry, log, concurrency: 4 });
  const verifier = createVerifier(
    { scheme: 'none', messageIdHeader: 'webhook-id', trustMessageId: true },
    { clock },
  );
  const signed = {
    scheme: 'standard',
    secrets: [`whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`],
    messageIdHeader: 'webhook-id',
  } as const;
  const stages: PipelineDeps = {
    verifiers: new Map([
      ['default', verifier],
      ['other', verifier],
      ['signed', createVerifier(signed, { clock })],
      ...contract.sources.map(({ name }) => [name, verifier] as const),
    ]),
    parse,
    identify,
    inbox: store,
    routesFor: (event) => registry.routesFor(event, event.delivery.source),
    dispatch: () => {
      dispatcher.wake();
    },
    telemetry,
  };
  const pipeline = createPipeline(stages);
  const samples = createSampleSender({
    contract,
    sources: stages.verifiers.keys(),
    clock,
    version: '1.2.3',
    sign: (source, body, message) =>
      stages.verifiers.has(source)
        ? source === 'signed'
          ? signingHeaders(signed, body, message)
          : {}
        : undefined,
    receive: createSamplePipeline(stages),
  });
  const app = createOpsApp({
    store: options.wrapStore?.(store) ?? store,
    registry,
    dispatcher,
    metrics,
    token: options.token ?? null,
    viewToken: options.viewToken ?? null,
    singleSignOn: options.singleSignOn ?? null,
    tokenSignIn: options.tokenSignIn ?? true,
    notReady: () => setup.reasons,
    observation: () => setup.observation,
    activity: () => setup.activity(),
    webhookAddress: () => ({
      url: 'http://127.0.0.1:8080/webhooks',
      scheme: 'none',
      header: null,
      messageIdHeader: 'webhook-id',
    }),
    parse,
    identify,
    clock,
    log,
    telemetry,
    feed,
    keep: options.keep ?? { events: null, quarantine: null, deliveries: null, audit: null },
    version: '1.2.3',
    samples: options.samples === true ? samples : null,
  });
  await dispatcher.start();

  const answer = async (response: Response): Promise<OpsAnswer> => {
    const body = (await response.json()) as Row;
    return {
      status: response.status,
      body,
      rows: Array.isArray(body['data']) ? (body['data'] as Row[]) : [],
    };
  };
  const setup: OpsSetup = {
    store,
    feed,
    clock,
    logged,
    failing: false,
    observation: { problems: [], quiet: [] },
    activity: () => activityCounts.peek(),
    reasons: [],
    receive(body, { source = 'default', messageId } = {}) {
      const bytes =
        body instanceof Uint8Array
          ? body
          : new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body));
      const headers: Record<string, string> = { 'content-type': 'application/json' };
      if (messageId !== undefined) headers['webhook-id'] = messageId;
      return pipeline({ stage: 'raw', source, receivedAt: clock.now(), headers, body: bytes });
    },
    settle: () => dispatcher.idle(),
    async runJobs(turns = 2000) {
      const stop = serveJobs({
        store,
        registry,
        parse,
        identify,
        clock,
        random,
        repair: () => Promise.resolve(null),
        postTo: () => () => Promise.resolve({ status: 'delivered' }),
        leads: () => store.leads(),
        wake: () => {
          dispatcher.wake();
        },
        warn(message) {
          throw new Error(message);
        },
      });
      for (let turn = 0; turn < turns; turn++) {
        await nextTick();
        await dispatcher.idle();
        if ((await store.runningJobs()).length === 0) break;
        clock.advance(100);
      }
      await stop();
    },
    peer: '127.0.0.1',
    connection: null,
    request: async (path, init) =>
      app.request(path, init, {
        incoming: {
          socket: Object.assign(setup.connection ?? new EventEmitter(), { remoteAddress: setup.peer }),
        },
      }),
    get: async (path) => answer(await setup.request(path)),
    post: async (path, body) =>
      answer(
        await setup.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    async close() {
      await dispatcher.stop(0);
      await app.close();
      await store.close();
    },
  };
  return setup;
}
