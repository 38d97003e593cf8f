import { systemClock } from '../../src/kernel/time/clock.ts';
import { openSqliteStore } from '../../src/store/sqlite/open-sqlite-store.ts';
import { sampleEvent, route } from './sample-event.ts';

// The process that sqlite-kill.test.ts kills: prints the id of each acknowledged event, and never exits.
const [, , path = ''] = process.argv;
const store = await openSqliteStore({ path, role: 'owner', clock: systemClock });
for (let batch = 0; ; batch += 1) {
  const acceptances = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      store.accept(sampleEvent({ subject: `company:${String(batch)}-${String(index)}` }), [route('anyone')]),
    ),
  );
  await store.claim({ now: systemClock.now(), limit: 1, handlers: ['anyone'] });
  process.stdout.write(acceptances.map(({ id }) => `${id}\n`).join(''));
}
