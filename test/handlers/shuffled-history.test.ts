/** Legal histories of the shipped machines, seen from any event on, and arriving in any order. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import loginMachine from '../../handlers/login-attempt.ts';
import paymentSlipMachine from '../../handlers/payment-slip.ts';
import type { StoredEvent } from '../../src/event/stored-event.ts';
import type { Machine } from '../../src/handle/define/machine.ts';
import { testEvent } from '../../src/testing/test-event.ts';
import { login } from '../support/webhooks/login-events.ts';
import { MachineFixture } from '../support/machine-fixture.ts';
import { propertyRuns } from '../support/property-runs.ts';

type History = readonly object[];

/** What one attempt of a login does: its tries of each step, and whether it succeeds. */
const attempt = fc.record({
  passwords: fc.integer({ min: 0, max: 3 }),
  codes: fc.integer({ min: 1, max: 5 }),
  succeeds: fc.boolean(),
});

const loginHistory = fc
  .record({
    family: fc.constantFrom('company', 'user'),
    attempts: fc.array(attempt, { minLength: 1, maxLength: 4 }),
  })
  .map(({ family, attempts }): History => {
    const { started, step, succeeded, failed, connected, disconnected } = login(family);
    let second = 0;
    const at = () => new Date(Date.UTC(2026, 10, 9, 12, 0, (second += 1))).toISOString();
    return attempts.flatMap(({ passwords, codes, succeeds }, index) => [
      ...(index > 0 && attempts[index - 1]?.succeeds === true
        ? [disconnected({ disconnected_at: at(), connected_at: null })]
        : []),
      started(),
      ...Array.from({ length: passwords }, (_, tries) => step('password', tries + 1)),
      ...Array.from({ length: codes }, (_, tries) => step('otp', tries + 1)),
      ...(succeeds
        ? [succeeded(codes), connected({ connected_at: at(), disconnected_at: null })]
        : family === 'company'
          ? [failed('otp', codes)]
          : []),
    ]);
  });

const slipHistory = fc
  .record({ requested: fc.boolean(), end: fc.constantFrom('issued', 'rejected', 'failed') })
  .map(({ requested, end }): History => {
    const statuses = ['pending', ...(requested ? ['requested'] : []), end] as const;
    return statuses.map((status, place) =>
      testEvent(place === 0 ? 'charge.payment-slip.created' : 'charge.payment-slip.updated', {
        data: {
          id: 9,
          status,
          updated_at: new Date(Date.UTC(2026, 10, 9, 10, 0, place)).toISOString(),
          ...(status === 'issued' ? { barcode: '8364' } : {}),
        },
      }),
    );
  });

test.each<readonly [Machine, fc.Arbitrary<History>]>([
  [loginMachine, loginHistory],
  [paymentSlipMachine, slipHistory],
])(
  '$name: no anomaly remains of a legal history, whatever was missed and in whatever order it arrives',
  async (machine, histories) => {
    await fc.assert(
      fc.asyncProperty(
        histories.chain((history) =>
          fc.record({
            missed: fc.integer({ min: 0, max: history.length - 1 }).map((count) => ({ history, count })),
            order: fc.shuffledSubarray([...history.keys()], { minLength: history.length }),
          }),
        ),
        async ({ missed: { history, count }, order }) => {
          const fixture = new MachineFixture(machine);
          const arriving = order.filter((place) => place >= count);
          let anomalies: unknown;
          for (const [number, place] of arriving.entries()) {
            const event = { ...history[place], id: `abc123-${String(number + 1)}` } as StoredEvent;
            await fixture.deliver(event);
            const state = await fixture.states.machineState(machine.name, event.source, event.subject);
            anomalies = state?.anomalies;
          }
          expect(anomalies).toBe(0);
        },
      ),
      { numRuns: propertyRuns(200) },
    );
  },
);
