import { expect, test } from 'vitest';
import { eventNumber } from '../../../src/handle/fold/event-number.ts';
import { route } from '../sample-event.ts';
import { createReplay } from '../../support/replay-job.ts';
import { openFixture } from '../store-fixture.ts';
import type { StoreKind } from '../store-place.ts';

/** Events that a handler never got. */
export function undeliveredRules(kind: StoreKind): void {
  test('finds what a handler never got after its first delivery, by kind and source', async () => {
    const { store, stored } = await openFixture(kind);
    await stored({ content: 'before its first', receivedAt: 1000 }, []);
    await stored({ content: 'its first', receivedAt: 2000 });
    await stored({ content: 'skipped for it', receivedAt: 3000 }, []);
    await stored({ content: 'in between', receivedAt: 4000 });
    await stored({ content: 'skipped, too', receivedAt: 5000, subject: 'company:2' }, [route('other')]);
    await stored({ content: 'of a new kind', kind: 'charge.created' }, []);
    await stored({ content: 'of a new source', source: 'branch' }, []);
    await stored({ content: 'of a kind unknown then', recognized: false }, []);
    await stored({ content: 'meant for nobody', flags: ['no-handlers'] }, []);
    const found = { handler: 'anyone', kind: 'company.updated', recognized: true, source: 'default' };
    expect(await store.undelivered(['anyone', 'other'], 100)).toEqual([
      { ...found, events: 2, since: 3000, last: 5000 },
    ]);
    expect(await store.undelivered(['other'], 100)).toEqual([]);
    // Of the newest events alone, the first delivery is a later one.
    expect(await store.undelivered(['anyone'], 6)).toEqual([
      { ...found, events: 1, since: 5000, last: 5000 },
    ]);
  });

  test('what a replay delivered was not missed, and it is no first delivery', async () => {
    const { store, stored, clock } = await openFixture(kind);
    const { id } = await createReplay(store, { handlers: ['anyone'] }, clock.now());
    const replay = (event: string) =>
      store.enqueueReplay(id, [{ route: route('anyone'), events: [eventNumber(event)] }], {
        cursor: event,
        now: clock.now(),
      });
    const count = async () => (await store.undelivered(['anyone'], 100)).map(({ events }) => events);
    await replay(await stored({ content: 'older than the handler' }, []));
    await stored({ content: 'as old' }, []);
    expect(await count()).toEqual([]);
    await stored({ content: 'its first' });
    const missed = await stored({ content: 'missed' }, []);
    expect(await count()).toEqual([1]);
    await replay(missed);
    expect(await count()).toEqual([]);
  });
}
