import { Registry as MetricsRegistry } from 'prom-client';
import { createDispatcher } from '../../src/dispatch/dispatcher.ts';
import type { Receipt } from '../../src/event/receipt.ts';
import { createRegistry } from '../../src/handle/load/registry.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import { createOpsApp } from '../../src/ops/ops-app.ts';
import { createParse } from '../../src/parse/parse.ts';
import { createPipeline } from '../../src/pipeline.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import type { Store } from '../../src/store/store.ts';
import { fanOut } from '../../src/telemetry/fan-out.ts';
import { createLogSubscriber } from '../../src/telemetry/log-subscriber.ts';
import { createMetricsSubscriber } from '../../src/telemetry/metrics-subscriber.ts';
import { manualClock, type ManualClock } from '../../src/testing/manual-clock.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { testContext, type LogEntry } from '../../src/testing/test-context.ts';
import { createVerifier } from '../../src/verify/create-verifier.ts';
import { specification } from '../../src/contract/specification.ts';

const parse = createParse(specification);
const identify = createIdentify(specification);

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
  /** Unless false, handler `billing` fails at its only try, with a text of its own or this one. */
  failing: boolean | string;
  /** What the private port logged. */
  readonly logged: readonly LogEntry[];
  /** Why the process says it is not ready. */
  reasons: string[];
  /** Posts an envelope, or any bytes, the whole way to the disk. */
  receive(
    body: unknown,
    options?: { readonly source?: string; readonly messageId?: string },
  ): Promise<Receipt>;
  /** Resolves when nothing is left to run. */
  settle(): Promise<void>;
  request(path: string, init?: RequestInit): Promise<Response>;
  get(path: string): Promise<OpsAnswer>;
  post(path: string, body: unknown): Promise<OpsAnswer>;
  close(): Promise<void>;
}

/** A private port over a store in memory, with a handler and a machine behind it. */
export async function setUpOps(
  options: {
    readonly token?: string;
    readonly viewToken?: string;
    readonly maxQuarantineBytes?: number;
  } = {},
): Promise<OpsSetup> {
  const clock = manualClock('2026-11-20T12:00:00Z');
  const random = seededRandom(7);
  const { log, logged } = testContext();
  const metrics = new MetricsRegistry();
  const telemetry = fanOut([
    createLogSubscriber(log, { clock, isVerified: () => false }).report,
    createMetricsSubscriber(metrics, specification),
  ]);
  const { maxQuarantineBytes = 1024 ** 3 } = options;
  const store = await openSqliteStore({ path: ':memory:', role: 'owner', maxQuarantineBytes, clock, random });

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
  const registry = createRegistry([billing, chargeStatus]);
  const dispatcher = createDispatcher({ store, registry, clock, random, telemetry, log, concurrency: 4 });
  const verifier = createVerifier(
    { scheme: 'none', messageIdHeader: 'webhook-id', trustMessageId: true },
    { clock },
  );
  const pipeline = createPipeline({
    verifiers: new Map([
      ['default', verifier],
      ['other', verifier],
    ]),
    parse,
    identify,
    inbox: store,
    routesFor: (event) => registry.routesFor(event, event.delivery.source),
    dispatch: () => {
      dispatcher.wake();
    },
    telemetry,
  });
  const app = createOpsApp({
    store,
    registry,
    dispatcher,
    metrics,
    token: options.token ?? null,
    viewToken: options.viewToken ?? null,
    notReady: () => setup.reasons,
    observation: () => null,
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
    version: '1.2.3',
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
    clock,
    logged,
    failing: false,
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
    request: async (path, init) => app.request(path, init),
    get: async (path) => answer(await app.request(path)),
    post: async (path, body) =>
      answer(
        await app.request(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }),
      ),
    async close() {
      await dispatcher.stop(0);
      await store.close();
    },
  };
  return setup;
}
