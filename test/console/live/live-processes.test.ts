/** What the live page shows of other processes. */
import { describe, expect, it, vi } from 'vitest';
import { LOOK_MS } from '../../../src/console/live/live-window.ts';
import { eventually } from '../../support/eventually.ts';
import { liveVisits } from '../kit/live-visit.ts';

const live = liveVisits();
const { open, receive, send, has } = live;

describe('the live page', () => {
  it('shows what another process has stored, with the next event and without one', async () => {
    const tab = await open();
    const silently = async () => {
      const report = vi.spyOn(live.visit.setup.feed, 'report').mockImplementation(() => undefined);
      const ids = await receive(1);
      report.mockRestore();
      return ids;
    };
    const other = await silently();
    const own = await receive(1);
    send();
    await has(tab, own);
    await eventually('the hole is filled', () => {
      send();
      return tab.rows().includes(other[0] ?? '');
    });
    const last = await silently();
    live.visit.setup.clock.advance(LOOK_MS);
    await eventually('the last one is there', () => {
      send();
      return tab.rows().includes(last[0] ?? '');
    });
    expect(tab.rows().toSorted()).toEqual([...other, ...own, ...last].toSorted());
  });

  it('shows it at once when the store tells that there is something', async () => {
    let tell = (): void => undefined;
    vi.spyOn(live.visit.setup.store, 'onForeignChange').mockImplementation((callback) => {
      tell = callback;
      return () => undefined;
    });
    const tab = await open();
    const report = vi.spyOn(live.visit.setup.feed, 'report').mockImplementation(() => undefined);
    const ids = await receive(1);
    report.mockRestore();
    tell();
    live.visit.setup.clock.advance(10);
    await eventually('it is read', () => {
      live.visit.setup.clock.advance(10);
      return tab.rows().length > 0;
    });
    expect(tab.rows()).toEqual(ids);
  });

  it('shows the outcome of what another process has handled, once', async () => {
    const tab = await open();
    const [id = ''] = await receive(1, 'charge.updated');
    send();
    await has(tab, [id]);
    const report = vi.spyOn(live.visit.setup.feed, 'report').mockImplementation(() => undefined);
    await live.visit.setup.settle();
    report.mockRestore();
    await eventually('the outcome is there', () => {
      live.visit.setup.clock.advance(LOOK_MS);
      return tab.outcome(id) === '2 of 2 succeeded';
    });
    const messages = () => tab.messages.filter(({ data }) => data.includes(id)).length;
    const before = messages();
    live.visit.setup.clock.advance(5 * LOOK_MS);
    await receive(1);
    send();
    await eventually('the next row is there', () => tab.rows().length === 2);
    expect(messages()).toBe(before);
  });

  it('waits for an event whose number another process has drawn, and misses none', async () => {
    const tab = await open();
    const report = vi.spyOn(live.visit.setup.feed, 'report').mockImplementation(() => undefined);
    const [drawn = ''] = await receive(1);
    report.mockRestore();
    // The log ends before the number that is still being stored.
    const events = vi.spyOn(live.visit.setup.store, 'events').mockResolvedValue([]);
    const [own = ''] = await receive(1);
    send();
    await eventually('the log was read', () => events.mock.calls.length > 0);
    expect(tab.rows()).toEqual([]);
    events.mockRestore();
    await eventually('it is committed, and both are shown', () => {
      live.visit.setup.clock.advance(LOOK_MS);
      return tab.rows().includes(drawn);
    });
    expect(tab.rows()).toEqual([drawn, own]);
    expect(tab.messages.some(({ data }) => data.includes('not shown'))).toBe(false);
  });
});
