import fc from 'fast-check';
import { expect, test } from 'vitest';
import { phasesOf } from '../../../src/store/state-phases.ts';
import type { JsonValue } from '../../../src/kernel/json/json.ts';
import { openFixture } from '../store-fixture.ts';
import { route } from '../sample-event.ts';
import type { StoreKind } from '../store-place.ts';

/** What operators ask of machines as a whole, and of the lanes of a subject. */
export function machineOverviewRules(kind: StoreKind): void {
  /** Stores a state for each subject, in this order. */
  async function withStates(states: readonly JsonValue[], anomalies: readonly string[] = []) {
    const fixture = await openFixture(kind);
    for (const [at, state] of states.entries()) {
      const content = `C${String(at)}`;
      const subject = { family: 'company', id: String(at + 1) };
      const id = await fixture.stored({ content, subject: `company:${subject.id}`, version: '1' });
      await fixture.store.commitMachine(
        'default',
        subject,
        {
          machine: 'login',
          state,
          version: '1',
          lastEventId: id,
          revision: 0,
          anomalies: anomalies.map((message) => ({ eventId: id, message })),
          refolded: false,
          effects: [],
        },
        fixture.clock.now(),
      );
    }
    return fixture;
  }
  const idsOf = (states: readonly { readonly subject: { readonly id: string } }[]) =>
    states.map(({ subject }) => subject.id);

  test('subjects are counted by the phases of their states', async () => {
    const { store } = await withStates([
      { status: 'pending' },
      { phase: 'running', session: 'connected' },
      { status: 'pending', other: 'x' },
      'paid',
      { status: 7 },
    ]);
    const counts = await store.phaseCounts('login');
    expect(counts.toSorted((one, other) => one.phases.join().localeCompare(other.phases.join()))).toEqual([
      { phases: [], subjects: 1, more: false },
      { phases: ['paid'], subjects: 1, more: false },
      { phases: ['pending'], subjects: 2, more: false },
      { phases: ['running', 'connected'], subjects: 1, more: false },
    ]);
    expect(await store.phaseCounts('none')).toEqual([]);
    expect(await store.machineNames()).toEqual(['login']);
  });

  test('the phases of any state are those that the machine’s own code reads', async () => {
    const unit = fc.constantFrom('a', 'z', '.', '$', '"', '\\', ' ', 'é', '\u0001', '\u{1f600}', '\uffee');
    const word = fc.string({ unit, maxLength: 20 });
    const state: fc.Arbitrary<JsonValue> = fc.oneof(
      word,
      fc.constant(null),
      fc.array(word, { maxLength: 2 }),
      fc.record(
        {
          phase: fc.oneof(word, fc.integer()),
          status: fc.oneof(word, fc.constant(null)),
          session: word,
          'a.phase': word,
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<JsonValue>,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(state, { minLength: 20, maxLength: 30 }), async (states) => {
        const { store } = await withStates(states);
        const counts = await store.phaseCounts('login');
        const found = counts.flatMap(({ phases, subjects }) =>
          Array.from({ length: subjects }, () => phases),
        );
        expect(found.map((each) => JSON.stringify(each)).toSorted()).toEqual(
          states.map((each) => JSON.stringify(phasesOf(each))).toSorted(),
        );
        for (const phase of [...new Set(states.flatMap(phasesOf))].slice(0, 9)) {
          const page = await store.statesInPhase({ machine: 'login', phase }, { limit: 100 });
          expect(page.states.map((each) => phasesOf(each.state).includes(phase))).toEqual(
            states.filter((each) => phasesOf(each).includes(phase)).map(() => true),
          );
        }
      }),
      { numRuns: 3 },
    );
  });

  test('pages of states lead through all subjects of a phase, each once, in the order first seen', async () => {
    const states = Array.from({ length: 7 }, (_, at) => ({
      phase: 'running',
      session: at % 2 === 0 ? 'connected' : 'disconnected',
    }));
    const { store } = await withStates([...states, { phase: 'failed' }]);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await store.statesInPhase(
        { machine: 'login', phase: 'running' },
        { limit: 3, ...(after !== undefined && { after }) },
      );
      expect(page.states.length).toBeLessThanOrEqual(3);
      found.push(...idsOf(page.states));
      after = page.cursor ?? undefined;
    } while (after !== undefined);
    expect(found).toEqual(['1', '2', '3', '4', '5', '6', '7']);
  });

  test('subjects with anomalies are counted and listed, and the latest anomalies come first', async () => {
    const { store } = await withStates([{ status: 'a' }, { status: 'b' }], ['one', 'two']);
    expect(await store.anomalousSubjects('login')).toEqual({ subjects: 2, more: false });
    expect((await store.statesInPhase({ machine: 'login' }, { limit: 1, after: 'x' })).states).toEqual([]);
    const page = await store.statesInPhase({ machine: 'login', anomalous: true }, { limit: 1 });
    expect(idsOf(page.states)).toEqual(['1']);
    expect(page.cursor).not.toBeNull();
    const latest = await store.latestAnomalies('login', 3);
    expect(latest.map(({ message, subject }) => [subject.id, message])).toEqual([
      ['2', 'two'],
      ['2', 'one'],
      ['1', 'two'],
    ]);
  });

  test('a lane shows what is at its head, how often it failed, and how many are behind', async () => {
    const { store, clock, stored, claimOne } = await openFixture(kind);
    const subject = { family: 'company', id: '1' };
    for (const content of ['A', 'B', 'C'])
      await stored({ content, subject: 'company:1' }, [route('billing')]);
    const at = { source: 'default', subject };
    expect(await store.lanesOf(at)).toMatchObject([
      { handler: 'billing', delivery: { running: false, attempts: 0 }, behind: 2, more: false },
    ]);

    const running = await claimOne({ handlers: ['billing'] });
    expect(await store.lanesOf(at)).toMatchObject([
      { delivery: { id: running.id, running: true }, behind: 2 },
    ]);

    const dueAt = clock.now() + 60_000;
    await store.reschedule(running, { now: clock.now(), dueAt, reason: 'closed' });
    expect(await store.lanesOf(at)).toMatchObject([
      { delivery: { id: running.id, running: false, attempts: 1, lastError: 'closed', dueAt }, behind: 2 },
    ]);
    expect(await store.lanesOf({ source: 'other', subject })).toEqual([]);
  });

  test('a paused lane shows what waits at its head', async () => {
    const { store, clock, stored, claim } = await openFixture(kind);
    const subject = { family: 'company', id: '1' };
    const now = clock.now();
    await store.pause(
      { handler: 'billing', source: null, subject },
      { reason: 'a move', pausedBy: 'ana', until: null, now },
    );
    for (const content of ['A', 'B']) await stored({ content, subject: 'company:1' }, [route('billing')]);
    expect(await claim({ handlers: ['billing'] })).toEqual([]);
    expect(await store.lanesOf({ source: 'default', subject })).toMatchObject([
      { handler: 'billing', delivery: { id: 'd1', running: false, attempts: 0 }, behind: 1 },
    ]);
  });
}
