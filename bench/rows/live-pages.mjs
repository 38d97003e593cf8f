import { openLivePage } from '../load/live-page.mjs';
import { numberText } from '../report/number-text.mjs';
import { median } from '../report/spread.mjs';

const CONNECTIONS = 64;
const PAGES = 20;

/** Ingest while live pages of the console are open, against ingest without them. */
/** @type {import('./rows.mjs').Rows} */
export const livePages = {
  name: 'live',
  rows: () => [{ id: 'live', what: `ingest with ${PAGES} live pages open / none`, aim: { min: 0.95 } }],
  async measure(bench) {
    const { plan, loop, results } = bench;
    const { url, operators } = await bench.portaria();
    const [without, beside, sent] = [[], [], []];
    for (let round = 0; round < plan.rounds; round += 1) {
      const measureAlone = async () => {
        const alone = await loop.run({ url, connections: CONNECTIONS, seconds: plan.seconds });
        without.push(alone.requests / alone.seconds);
      };
      // The store grows from run to run, so each comes first in turn.
      if (round % 2 === 0) await measureAlone();
      const pages = await Promise.all(Array.from({ length: PAGES }, () => openLivePage(operators)));
      const watched = await loop.run({ url, connections: CONNECTIONS, seconds: plan.seconds });
      if (!pages.every((page) => page.isOpen() && page.bytes() > 0))
        throw new Error('a live page was dropped, or got nothing');
      sent.push(pages.reduce((sum, page) => sum + page.bytes(), 0) / watched.seconds / PAGES);
      for (const page of pages) page.close();
      if (round % 2 === 1) await measureAlone();
      beside.push(watched.requests / watched.seconds);
      results.add('live', beside.at(-1) / without.at(-1));
    }
    results.note(
      'live',
      `${numberText(median(beside))}/s beside pages that got ${numberText(median(sent) / 1_000)} kB/s each, ${numberText(median(without))}/s without, at ${CONNECTIONS}`,
    );
  },
};
