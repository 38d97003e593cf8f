import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineSpecification, testContext, testEvent } from 'portaria/testing';
import machine from '../handlers/antt-penalty.ts';

type Status = 'citation' | 'penalty_notice_issued' | 'penalty_notice_received' | 'paid';

/** `day` is the version: it orders the events of a violation, however they arrive. */
const violation = (status: Status, day: number) =>
  testEvent('antt-violation.updated', {
    data: { id: 5107, status, due_date: '2026-12-18', synced_at: `2026-11-0${day}T00:00:00Z` },
  });
const { given } = machineSpecification(machine);

test('warns when the penalty notice is issued', async () => {
  const context = testContext({ idempotencyKey: 'e2/antt-penalty/warn' });
  await given([violation('citation', 1)])
    .when(violation('penalty_notice_issued', 2))
    .then({ phase: 'penalty', dueDate: '2026-12-18' })
    .thenEffects('warn')
    .thenAnomalies()
    .runEffects(context);
  const fields = {
    violation: 5107,
    dueDate: '2026-12-18',
    late: false,
    idempotencyKey: 'e2/antt-penalty/warn',
  };
  assert.deepEqual(context.logged, [{ level: 'warn', fields, message: 'a penalty notice has arrived' }]);
});

test('warns once', () => {
  given([violation('penalty_notice_issued', 1)])
    .when(violation('penalty_notice_received', 2))
    .thenEffects()
    .thenAnomalies();
});

test('a notice that arrives after the payment is warned of late, and the state stays paid', () => {
  given([violation('citation', 1), violation('paid', 3)])
    .when(violation('penalty_notice_issued', 2))
    .then(({ state, effects, late }) => {
      assert.deepEqual(state, { phase: 'paid', dueDate: '2026-12-18' });
      assert.deepEqual({ effects, late }, { effects: ['warn'], late: true });
    });
});

test('a notice after the payment is an anomaly: recorded, not rejected', () => {
  given([violation('paid', 1)])
    .when(violation('penalty_notice_issued', 2))
    .then({ phase: 'paid', dueDate: '2026-12-18' })
    .thenEffects()
    .thenAnomalies(/a notice does not follow the phase paid/);
});
