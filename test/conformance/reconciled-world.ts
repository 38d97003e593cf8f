/** A provider with records, a store, and handlers that hear of its webhooks and of repairs. */
import { createClient } from '../../src/client/create-client.ts';
import { currentContent } from '../../src/confirm/create-confirm.ts';
import { specification } from '../../src/contract/specification.ts';
import { parseSubjectName } from '../../src/event/subject.ts';
import { defineHandler } from '../../src/handle/define/handler.ts';
import { defineMachine } from '../../src/handle/define/machine.ts';
import { foldDelivery } from '../../src/handle/fold/fold-delivery.ts';
import { createRegistry } from '../../src/handle/load/registry.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import type { JsonObject } from '../../src/kernel/json/json.ts';
import { parseJson } from '../../src/kernel/json/parse-json.ts';
import { createParse } from '../../src/parse/parse.ts';
import { createRepairSubject } from '../../src/reconcile/repair-subject.ts';
import { withSettledAccept } from '../../src/reconcile/settle-webhook.ts';
import type { Acceptance, AcceptOptions } from '../../src/store/inbox.ts';
import type { RepairSelection } from '../../src/store/jobs.ts';
import { keyedIds } from '../../src/store/erased-content.ts';
import type { EventFlag } from '../../src/event/event.ts';
import { verifiedDelivery } from '../support/verified-delivery.ts';
import type { StoreFixture } from './store-fixture.ts';

/** What the machine keeps of each event that it folds. */
const trail = defineMachine({
  name: 'trail',
  on: ['charge.*', 'console-user.*', 'company.*', 'antt-violation.*'],
  initial: { told: [] as string[] },
  evolve: ({ told }, event) => ({ told: [...told, textOf(event.data)] }),
});
const clerk = defineHandler({
  name: 'clerk',
  on: ['charge.*', 'console-user.*', 'company.*', 'antt-violation.*'],
  stale: true,
  handle: () => undefined,
});
const locksmith = defineHandler({
  name: 'locksmith',
  on: 'company.certificate.updated',
  handle: () => undefined,
});

/** The status, name or e-mail, and what only webhooks carry. */
function textOf(data: unknown): string {
  const { status, name, company } = data as { status?: string; name?: string; company?: { tax_id?: string } };
  return [status ?? name, company?.tax_id].filter((part) => part !== undefined).join(' ');
}

export interface ReconciledWorld {
  /** Records by path, such as `/charges/1`. */
  readonly records: Map<string, JsonObject>;
  /** What each handler heard, in order. */
  readonly heard: { readonly handler: string; readonly text: string }[];
  /** Called before the provider answers. */
  before: () => Promise<unknown>;
  webhook(
    kind: string,
    data: JsonObject,
    options?: AcceptOptions & { readonly messageId?: string; readonly flags?: readonly EventFlag[] },
  ): Promise<Acceptance>;
  /** Returns the id of the event, or null. */
  repair(subject: string, handlers?: RepairSelection['handlers']): Promise<string | null>;
  /** Runs all deliveries that wait. */
  run(): Promise<void>;
  /** What the machine was told, by its state. */
  told(subject: string): Promise<readonly string[] | undefined>;
  /** The content of the subject's latest event. */
  newest(subject: string): Promise<JsonObject | null>;
}

export async function reconciledWorld(
  { store: opened, clock }: StoreFixture,
  { keepMs = null }: { readonly keepMs?: number | null } = {},
): Promise<ReconciledWorld> {
  const records: ReconciledWorld['records'] = new Map();
  const heard: { handler: string; text: string }[] = [];
  const registry = createRegistry([trail, clerk, locksmith]);
  const store = withSettledAccept(opened, { registry, clock });
  const parse = createParse(specification);
  const identify = createIdentify(specification, keyedIds(await store.erasureKey()));
  const client = createClient({
    url: 'http://provider.example',
    apiKey: 'key',
    clock,
    retry: { attempts: 1 },
    async fetch(address) {
      await world.before();
      const path = new URL(address).pathname.replace(/^\/v1/u, '');
      const record = records.get(path);
      const listed = [...records].flatMap(([at, each]) => (at.startsWith(`${path}/`) ? [each] : []));
      if (listed.length > 0) return Response.json({ data: listed, total: listed.length });
      if (record === undefined) return Response.json({ error: 'Not Found' }, { status: 404 });
      return Response.json(path.startsWith('/console') ? record : { data: record });
    },
  });
  const repairSubject = createRepairSubject({
    ...{ store, registry, parse, identify, clock, keepMs },
    client: () => client,
  });
  const named = (subject: string) => parseSubjectName(subject) ?? { family: '', id: '' };

  /** As before the first handler runs. */
  async function resolve(id: string): Promise<void> {
    const event = await store.event(id);
    if (event === null) return;
    const [found] = await store.storedEvents([id]);
    const before = await store.eventBefore(event.source, event.subject, id);
    const [earlier] = before === null ? [] : await store.storedEvents([before]);
    const record = records.get(`/charges/${event.subject.id}`);
    const resolution = currentContent(record, found?.data, earlier?.data);
    await store.resolveAmbiguity(id, resolution, event.repeats);
  }

  const world: ReconciledWorld = {
    records,
    heard,
    before: () => Promise.resolve(),
    async webhook(kind, data, { messageId, flags = [], ...options } = {}) {
      const body = JSON.stringify({ type: kind, data });
      const trusted = { messageId: messageId ?? null, messageIdTrusted: messageId !== undefined };
      const parsed = parse(verifiedDelivery(body, { receivedAt: clock.now(), ...trusted }));
      if (parsed.stage === 'rejected') throw new Error(parsed.message);
      const event = identify({ ...parsed, flags: [...parsed.flags, ...flags] });
      return store.accept(event, registry.routesFor(parsed, 'default'), options);
    },
    repair: (subject, handlers = 'all') =>
      repairSubject(subject, { source: 'default', handlers }, new AbortController().signal),
    async run() {
      for (;;) {
        const { deliveries } = await store.claim({
          now: clock.now(),
          limit: 100,
          handlers: registry.deliveryNames,
        });
        if (deliveries.length === 0) return;
        for (const delivery of deliveries) {
          const { event, handler } = delivery;
          if (event.verdict === 'ambiguous') await resolve(event.id);
          const now = await store.event(event.id);
          const runnable = registry.runnable(handler);
          const isSuperseded = now?.flags.includes('superseded') === true;
          if (runnable?.type === 'handler' && !isSuperseded)
            heard.push({ handler, text: textOf(event.data) });
          const machine =
            runnable?.type === 'fold' && !isSuperseded
              ? await foldDelivery(runnable.machine, delivery, store)
              : undefined;
          await store.complete(
            delivery,
            { status: 'succeeded', ...(machine && { machine }) },
            { now: clock.now(), next: false },
          );
        }
      }
    },
    async told(subject) {
      const state = await store.machineState('trail', 'default', named(subject));
      return (state?.state as { told: string[] } | undefined)?.told;
    },
    async newest(subject) {
      const filter = { subject: named(subject) };
      const latest = (await store.events(filter, { order: 'newest', limit: 50 })).find(
        ({ verdict, flags }) => verdict !== 'stale' && !flags.includes('superseded'),
      );
      const event = latest === undefined ? null : await store.event(latest.id);
      const body = event?.body == null ? null : parseJson(Buffer.from(event.body).toString());
      return body === null ? null : ((body as JsonObject)['data'] as JsonObject);
    },
  };
  return world;
}
