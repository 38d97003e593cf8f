import { afterEach, beforeEach } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { visitConsole, webhook, type Visit } from './console-browser.ts';
import { openLive, type LiveTab } from './live-tab.ts';

/** A visit of the console with live pages, new for each test of the file. */
export interface LiveVisit {
  /** The visit of the test that runs. */
  readonly visit: Visit;
  /** The pages that the test has opened. */
  readonly tabs: readonly LiveTab[];
  /** Ends the visit, and begins another one. */
  visitAgain(...options: Parameters<typeof visitConsole>): Promise<void>;
  /** Opens the stream of a live page until the end of the test. */
  open(query?: string, options?: Parameters<typeof openLive>[2]): Promise<LiveTab>;
  /** Receives events. Returns their ids. */
  receive(count: number, kind?: 'company.created' | 'charge.updated'): Promise<string[]>;
  /** Lets what is due be sent. */
  send(): void;
  /** Waits until a page has the rows of these events. */
  has(tab: LiveTab, ids: readonly string[]): Promise<unknown>;
}

export function liveVisits(): LiveVisit {
  let visit: Visit;
  let tabs: LiveTab[] = [];
  let subject = 100;

  beforeEach(async () => {
    visit = await visitConsole();
  });

  afterEach(async () => {
    await Promise.all(tabs.map((tab) => tab.close()));
    tabs = [];
    await visit.close();
  });

  return {
    get visit() {
      return visit;
    },
    get tabs() {
      return tabs;
    },
    async visitAgain(...options) {
      await visit.close();
      visit = await visitConsole(...options);
    },
    async open(query, options) {
      const tab = await openLive(visit.setup, query, options);
      tabs.push(tab);
      return tab;
    },
    async receive(count, kind = 'company.created') {
      const ids: string[] = [];
      for (let each = 0; each < count; each += 1) {
        subject += 1;
        const receipt = await visit.setup.receive(webhook(kind, { id: subject }));
        ids.push('id' in receipt ? (receipt.id ?? '') : '');
      }
      return ids;
    },
    send() {
      visit.setup.clock.advance(500);
    },
    has: (tab, ids) => eventually('the rows are there', () => ids.every((id) => tab.rows().includes(id))),
  };
}
