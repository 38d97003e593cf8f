/** Numbers are compared as doubles: equal doubles are repeats, and numbers beyond a double are rejected. */
import { expect, test } from 'vitest';
import { draws, seedOfRun } from '../kit/seed.ts';
import { startTarget } from '../kit/programs/target.ts';
import { drawnNumbers, noNumbers, numbers } from './corpus/numbers.ts';

/** The positions of a number: as the data, inside it, and beside fields of the contract. Each is one subject. */
const places: Readonly<Record<string, (number: string) => string>> = {
  alone: (number) => `{"type":"alone.made","data":${number}}`,
  nested: (number) => `{"type":"nested.made","data":{"id":"one","list":[null,{"a b":${number}}]}}`,
  beside: (number) =>
    `{"type":"charge.updated","data":{"id":1,"type":"fee","status":"paid","more":${number}}}`,
};

/** Groups spellings by the double that JavaScript reads. -0 equals 0. */
function spellingsOf(all: Iterable<string>): ReadonlyMap<number, readonly string[]> {
  const byDouble = new Map<number, string[]>();
  for (const spelling of new Set(all)) {
    const double = Number(spelling) + 0;
    byDouble.set(double, [...(byDouble.get(double) ?? []), spelling]);
  }
  return byDouble;
}

test('equal doubles are repeats, other doubles are new events, and invalid numbers are rejected', async () => {
  const seed = seedOfRun();
  const { store, post, close } = await startTarget();
  const byDouble = spellingsOf([...numbers, ...drawnNumbers(draws(seed), 10)]);
  const shortened = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
  const wrong: unknown[] = [];
  let cases = 0;
  const expectStatus = async (
    body: string,
    spelling: string,
    status: number,
    id?: string,
  ): Promise<string> => {
    const response = await post(body);
    cases += 1;
    if (response.status !== status || (id !== undefined && response.id !== id))
      wrong.push([shortened(spelling), response.status, response.id, 'instead of', status, id]);
    return response.id;
  };

  for (const put of Object.values(places)) {
    for (const [double, [first = '', ...others]] of byDouble) {
      if (!Number.isFinite(double)) continue;
      // It is the latest event of its subject, so a repeat is not ambiguous.
      const id = await expectStatus(put(first), first, 202);
      for (const other of others) await expectStatus(put(other), other, 200, id);
    }
    for (const [double, spellings] of byDouble)
      if (!Number.isFinite(double)) for (const one of spellings) await expectStatus(put(one), one, 422);
    for (const one of noNumbers) await expectStatus(put(one), one, 400);
  }

  expect(wrong).toEqual([]);
  const held = await store.quarantined({ reason: 'invalid' }, { order: 'oldest', limit: 1_000 });
  const paths = new Set(held.flatMap(({ issues }) => issues.map(({ path }) => path)));
  expect([...paths].toSorted()).toEqual(['data', 'data.list[1]["a b"]', 'data.more']);
  await close('hostile numbers', { cases, doubles: byDouble.size, seed });
});

test('spellings of one id are equal, and ids that a double cannot hold are rejected', async () => {
  const { store, post, close } = await startTarget();
  const put = (id: string): string =>
    `{"type":"charge.updated","data":{"id":${id},"type":"fee","status":"paid"}}`;

  const ids: readonly (readonly [id: string, status: number])[] = [
    ['7', 202],
    ['7.0', 200],
    ['0.7e1', 200],
    ['70E-1', 200],
    ['-0', 202],
    ['0', 200],
    ['9007199254740991', 202],
    ['9007199254740992', 422],
    ['9007199254740993', 422],
    ['-9007199254740992', 422],
    ['1e400', 422],
    ['7.5', 422],
    ['"7"', 422],
    ['9'.repeat(900_000), 422],
    ['07', 400],
    ['+7', 400],
  ];
  const statuses: number[] = [];
  for (const [id] of ids) statuses.push((await post(put(id))).status);

  expect(statuses).toEqual(ids.map(([, status]) => status));
  const events = await store.events({}, { order: 'oldest', limit: 100 });
  expect(events.map(({ subject }) => subject.id)).toEqual(['7', '0', '9007199254740991']);
  await close('hostile numbers, ids');
});
