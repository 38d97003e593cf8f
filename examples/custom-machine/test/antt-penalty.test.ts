import { test } from 'node:test';
import { machineSpecification, testEvent } from 'portaria/testing';
import machine from '../handlers/antt-penalty.ts';

type Status = 'citation' | 'penalty_notice_issued' | 'penalty_notice_received' | 'paid';

const violation = (status: Status, day: number) =>
  testEvent('antt-violation.updated', {
    data: { id: 5107, status, due_date: '2026-12-18', synced_at: `2026-11-0${day}T00:00:00Z` },
  });
const { given } = machineSpecification(machine);

test('warns when the penalty notice is issued', () => {
  given([violation('citation', 1)])
    .when(violation('penalty_notice_issued', 2))
    .then({ phase: 'penalty', dueDate: '2026-12-18' })
    .thenEffects('warn');
});

test('warns once', () => {
  given([violation('penalty_notice_issued', 1)])
    .when(violation('penalty_notice_received', 2))
    .thenEffects();
});

test('keeps the newer state when an event arrives late', () => {
  given([violation('paid', 3)])
    .when(violation('penalty_notice_issued', 2))
    .then({ phase: 'paid', dueDate: '2026-12-18' });
});

test('records an anomaly when a paid violation is open again', () => {
  given([violation('paid', 1)])
    .when(violation('penalty_notice_issued', 2))
    .thenAnomalies(/open again/);
});
