import { beforeEach, describe, expect, it } from 'vitest';
import type { IdentifiedEvent } from '../../event/event.ts';
import { createIdentify } from '../../identify/identify.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { createParse } from '../../parse/parse.ts';
import type { Acceptance } from '../../store/inbox.ts';
import type { QuarantinedDelivery } from '../../store/queries.ts';
import { sampleData } from '../../testing/sample-data.ts';
import { releaseQuarantine, type ReleaseDeps } from './release-quarantine.ts';
import { specification } from '../../contract/specification.ts';

const parse = createParse(specification);
const identify = createIdentify(specification, (id) => `keyed ${id}`);

const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));

/** An entry that did not match an older contract and matches now. */
function held(number: number, changes: Partial<QuarantinedDelivery> = {}): QuarantinedDelivery {
  return {
    id: `q${String(number)}`,
    source: 'default',
    status: 'held',
    reason: 'invalid',
    kind: 'charge.updated',
    subject: `charge:${String(number)}`,
    message: 'does not fit',
    issues: [],
    receivedAt: number * 1000,
    repeats: 0,
    lastRepeatAt: null,
    eventId: null,
    body: bytes({ type: 'charge.updated', data: { ...sampleData('charge.updated'), id: number } }),
    headers: { 'content-type': 'application/json' },
    messageId: null,
    senderVerified: true,
    messageIdTrusted: true,
    erased: false,
    ...changes,
  };
}

/** The answer of a store that has stored the event under this id. */
const storedAs = (id: string): Acceptance => ({
  status: 'stored',
  id,
  verdict: 'new',
  flags: [],
  pending: 0,
});

let entries: QuarantinedDelivery[];
let accepted: { event: IdentifiedEvent; releases: string | undefined; overtaken: unknown }[];
let accept: (event: IdentifiedEvent) => Acceptance;
let parts: ReleaseDeps;

beforeEach(() => {
  entries = [];
  accepted = [];
  accept = () => storedAs(`e-${String(accepted.length)}`);
  parts = {
    store: {
      quarantined: (filter, { limit, after }) => {
        const fitting = entries.filter(
          (entry) =>
            (filter.ids?.includes(entry.id) ?? true) &&
            (filter.status === undefined || entry.status === filter.status) &&
            (after === undefined || Number(entry.id.slice(1)) > Number(after.slice(1))),
        );
        return Promise.resolve(fitting.slice(0, limit));
      },
      droppedFromQuarantine: (ids) => Promise.resolve(ids.filter((id) => id === 'q7')),
      quarantinedDelivery: (id) => Promise.resolve(entries.find((entry) => entry.id === id) ?? null),
      overtakenArrival: (_arrival, handlers) =>
        Promise.resolve(handlers.map((handler) => ({ handler, by: 'e-9' }))),
      accept: (event, _routes, options) => {
        accepted.push({ event, releases: options?.releases, overtaken: options?.overtaken });
        return Promise.resolve().then(() => accept(event));
      },
    },
    registry: { routesFor: () => [], contract: specification },
    parse,
    identify,
  };
});

const all = { filter: {}, dryRun: false };

describe('a release', () => {
  it('tells the store which handlers it must skip, because later events have overtaken the released one', async () => {
    entries = [held(1)];
    const routes = [
      { handler: 'ledger', order: 'subject', stale: false },
      { handler: 'history', order: 'subject', stale: true },
    ] as const;
    const deps = { ...parts, registry: { ...parts.registry, routesFor: () => routes } };
    const overtaken = [{ handler: 'ledger', by: 'e-9' }];
    expect(await releaseQuarantine(deps, { ...all, dryRun: true })).toMatchObject([{ overtaken }]);
    expect(await releaseQuarantine(deps, all)).toMatchObject([{ outcome: 'released', overtaken }]);
    expect(await releaseQuarantine(deps, { ...all, includeOvertaken: true })).toMatchObject([
      { overtaken: [] },
    ]);
    expect(accepted.map((each) => each.overtaken)).toEqual([overtaken, []]);
  });

  it('reports an entry that the quota dropped meanwhile, and continues', async () => {
    entries = [held(1), held(2)];
    accept = () => {
      if (accepted.length === 1) throw new PortariaError('not-found', 'dropped by the quota');
      return storedAs('e-2');
    };
    expect(await releaseQuarantine(parts, all)).toMatchObject([
      { id: 'q1', outcome: 'dropped', event_id: null },
      { id: 'q2', outcome: 'released', event_id: 'e-2' },
    ]);
  });

  it('releases more than one page', async () => {
    entries = Array.from({ length: 1201 }, (_, at) => held(at + 1));
    expect(await releaseQuarantine(parts, all)).toHaveLength(1201);
    expect(new Set(accepted.map(({ releases }) => releases)).size).toBe(1201);
  });

  it('yields to other work after each entry', async () => {
    entries = Array.from({ length: 20 }, (_, at) =>
      held(at + 1, { body: bytes({ type: 'charge.updated' }) }),
    );
    let turns = 0;
    let over = false;
    const beside = (): void => {
      turns += 1;
      if (!over) setImmediate(beside);
    };
    setImmediate(beside);

    await releaseQuarantine(parts, all);
    over = true;

    expect(turns).toBeGreaterThanOrEqual(20);
  });

  it('reports a repeat as a duplicate', async () => {
    entries = [held(1)];
    accept = () => ({ status: 'duplicate', id: 'e-3' });
    expect(await releaseQuarantine(parts, all)).toMatchObject([{ outcome: 'duplicate', event_id: 'e-3' }]);
  });

  it('compares content when the message id is not trusted', async () => {
    entries = [held(1, { messageId: 'msg_1', messageIdTrusted: false })];
    await releaseQuarantine(parts, all);
    expect(accepted[0]?.event).toMatchObject({
      parsed: { delivery: { messageId: 'msg_1' } },
      messageDigest: null,
    });
  });

  describe('of an entry whose message id now belongs to another event', () => {
    beforeEach(() => {
      entries = [held(1, { messageId: 'msg_1' })];
      accept = ({ parsed }) =>
        parsed.delivery.messageId === null
          ? storedAs('e-2')
          : { status: 'conflict', id: 'e-1', quarantineId: 'q1', dropped: 0 };
    });

    it('holds it when it is not named', async () => {
      const [release] = await releaseQuarantine(parts, all);
      expect(release).toMatchObject({ outcome: 'held', event_id: null });
      expect(release?.message).toContain('e-1');
    });

    it('compares its content when it is named', async () => {
      const [release] = await releaseQuarantine(parts, { filter: { ids: ['q1'] }, dryRun: false });
      expect(release).toMatchObject({ outcome: 'released', event_id: 'e-2' });
    });
  });

  it('stops at a store error and keeps what was released', async () => {
    entries = [held(1), held(2), held(3)];
    accept = ({ parsed }) => {
      if (parsed.delivery.receivedAt === 2000) throw new PortariaError('store-full', 'The disk is full');
      return storedAs('e-1');
    };
    await expect(releaseQuarantine(parts, all)).rejects.toMatchObject({ code: 'store-full' });
    expect(accepted).toHaveLength(2);
  });
});
