/** The operators' API and the console show on PostgreSQL what they show on SQLite. */
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/kernel/time/clock.ts';
import { seededRandom } from '../../src/kernel/random.ts';
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.ts';
import { visitConsole } from '../console/kit/console-browser.ts';
import { fillConsole, unlinkedPages } from '../console/kit/filled-console.ts';
import { walkPages } from '../console/kit/walk-pages.ts';
import { requestOfEachOperation, send } from '../ops/every-operation.ts';
import { setUpOps } from '../ops/ops-setup.ts';
import { textOf } from '../support/page-text.ts';
import { comparable, comparableJson } from './kit/comparable.ts';
import { databaseOfStore } from './kit/postgres-places.ts';

type Paths = Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;

async function onPostgres() {
  const url = await databaseOfStore();
  return {
    openStore: (clock: Clock) =>
      openPostgresStore({
        ...{ url, role: 'owner', clock, random: seededRandom(7), maxQuarantineBytes: 1024 ** 3 },
      }),
  };
}

test('every operation of the API', async () => {
  const [onFile, onServer] = [await answers({}), await answers(await onPostgres())];

  expect(onServer).toEqual(onFile);
  expect(Object.keys(onServer).length).toBeGreaterThan(40);
});

/** The status and what is comparable of each answer, by the operation's id. */
async function answers(options: Parameters<typeof setUpOps>[0]) {
  const setup = await setUpOps(options);
  onTestFinished(() => setup.close());
  const { body: document } = await setup.get('/openapi.json');
  const requests = await requestOfEachOperation(setup);
  const found: Record<string, unknown> = {};
  for (const methods of Object.values(document['paths'] as Paths))
    for (const [method, { operationId }] of Object.entries(methods)) {
      const response = await send(setup, method, requests[operationId] ?? ['/nowhere']);
      const text = await response.text();
      // What an operation has made due runs before the next one reads it.
      await setup.settle();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      found[operationId] = [
        response.status,
        isJson
          ? comparableJson(text, setup.store.storeId)
          : comparable(text, setup.store.storeId).replaceAll(/^portaria_store_bytes .*/gmu, ''),
      ];
    }
  return found;
}

test('every page of the console', async () => {
  const [onFile, onServer] = [await pages({}), await pages(await onPostgres())];

  expect(onServer).toEqual(onFile);
  expect(onServer.length).toBeGreaterThan(100);
});

/** The address and the text of each page. Apart from that of the system, which has the checks of its store. */
async function pages(options: Parameters<typeof visitConsole>[0]) {
  const visit = await visitConsole({ samples: true, ...options });
  onTestFinished(() => visit.close());
  await fillConsole(visit);
  const { storeId } = visit.setup.store;
  const walked = new Map(await walkPages(visit, ['/', ...unlinkedPages], {}));
  const kind = options?.openStore === undefined ? 'sqlite ok' : 'postgresql ok';
  expect(textOf(walked.get('/system') ?? '')).toContain(kind);
  walked.delete('/system');
  return [...walked].map(([path, html]) => [comparable(path, storeId), comparable(textOf(html), storeId)]);
}
