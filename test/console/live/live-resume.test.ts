import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { BEAT_MS } from '../../../src/console/live/live-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { openLive, type LiveTab } from '../kit/live-tab.ts';
import { liveVisits } from '../kit/live-visit.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const live = liveVisits();
const { open, send } = live;

/** Receives an event. Returns its id. */
async function receive(): Promise<string> {
  const [id = ''] = await live.receive(1);
  return id;
}

describe('a read for clients that have gone', () => {
  it('does not move a client that comes meanwhile back to an event before its own', async () => {
    const held: (() => void)[] = [];
    let holds = false;
    await live.visitAgain({
      wrapStore: (store) => ({
        ...store,
        async events(...given: Parameters<typeof store.events>) {
          const found = await store.events(...given);
          if (holds) await new Promise<void>((resolve) => held.push(resolve));
          return found;
        },
      }),
    });
    const first = await receive();
    const gone = await open(`?after=${first}`);
    const report = vi.spyOn(live.visit.setup.feed, 'report').mockImplementation(() => undefined);
    await receive();
    report.mockRestore();
    holds = true;
    live.visit.setup.clock.advance(BEAT_MS);
    await eventually('events of other processes are being read', () => held.length === 1);
    await gone.close();
    const second = await receive();
    const opening = open(`?after=${second}`);
    holds = false;
    held[0]?.();
    const tab = await opening;
    live.visit.setup.clock.advance(BEAT_MS);
    await eventually('a beat', () => tab.messages.some(({ event }) => event === 'beat'));
    expect(tab.lastId()).toBe(second);
  });
});

describe('whatever comes and goes', () => {
  it('a client that always resumes has each event once', async () => {
    const step = fc.constantFrom('receive', 'receive', 'elsewhere', 'send', 'beat', 'away', 'back');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { setup } = live.visit;
        const first = await receive();
        let tab: LiveTab | null = await openLive(setup, `?after=${first}`);
        let lastId = first;
        const stored: string[] = [];
        const rows: string[] = [];
        const leave = async () => {
          if (tab === null) return;
          lastId = tab.lastId();
          rows.push(...tab.rows().filter((id) => !rows.includes(id)));
          expect(new Set(tab.rows()).size).toBe(tab.rows().length);
          await tab.close();
          tab = null;
        };
        const back = async () => {
          tab ??= await openLive(setup, '?after=0', { headers: { 'last-event-id': lastId } });
        };
        for (const each of [...steps, 'back' as const]) {
          if (each === 'send') send();
          else if (each === 'beat') setup.clock.advance(BEAT_MS);
          else if (each === 'away') await leave();
          else if (each === 'back') await back();
          else {
            const report = vi.spyOn(setup.feed, 'report');
            if (each === 'elsewhere') report.mockImplementation(() => undefined);
            stored.push(await receive());
            report.mockRestore();
          }
        }
        await eventually('all rows are there', () => {
          setup.clock.advance(BEAT_MS);
          const all = new Set([...rows, ...(tab?.rows() ?? [])]);
          return stored.every((id) => all.has(id));
        });
        await leave();
        expect(rows.toSorted()).toEqual(stored.toSorted());
      }),
      { numRuns: propertyRuns(40) },
    );
  });
});
