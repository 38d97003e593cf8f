import { expect, onTestFinished, test } from 'vitest';
import { patientFetch } from './patient-fetch.ts';

const known = globalThis as unknown as Record<symbol, object | undefined>;

/** A dispatcher that responds to nothing, and notes what it is asked with. */
function notingDispatcher() {
  const asked: object[] = [];
  const dispatch = (request: object): never => {
    asked.push(request);
    throw new Error('noted');
  };
  return { asked, dispatch };
}

/** Replaces each dispatcher of the process. */
async function replaceDispatchers() {
  await fetch('data:,');
  return [1, 2].flatMap((version) => {
    const name = Symbol.for(`undici.globalDispatcher.${String(version)}`);
    const before = known[name];
    if (before === undefined) return [];
    onTestFinished(() => void (known[name] = before));
    const noting = notingDispatcher();
    known[name] = noting;
    return noting;
  });
}

test('it asks the dispatcher that fetch asks, such as one of a proxy, without limits', async () => {
  const dispatchers = await replaceDispatchers();
  await expect(fetch('http://127.0.0.1:10009')).rejects.toThrow();
  const byFetch = dispatchers.map(({ asked }) => asked.splice(0).length);
  expect(byFetch).toContain(1);

  await expect(patientFetch('http://127.0.0.1:10009')).rejects.toThrow();
  expect(dispatchers.map(({ asked }) => asked.length)).toEqual(byFetch);
  expect(dispatchers.flatMap(({ asked }) => asked)).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
});

test('it asks the dispatcher that the call names', async () => {
  const dispatcher = notingDispatcher();
  const init: object = { dispatcher };
  await expect(patientFetch('http://127.0.0.1:10009', init)).rejects.toThrow();
  expect(dispatcher.asked).toMatchObject([{ headersTimeout: 0, bodyTimeout: 0 }]);
});
