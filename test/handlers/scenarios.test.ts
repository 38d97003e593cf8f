/** The shipped machines over the scenarios of the fixtures, in order and in other orders of arrival. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indicationDocument } from '../../handlers/indication-document.ts';
import { loginAttempt } from '../../handlers/login-attempt.ts';
import { paymentSlip } from '../../handlers/payment-slip.ts';
import type { StoredEvent } from '../../src/event/stored-event.ts';
import { subjectName } from '../../src/event/subject.ts';
import { foldDelivery } from '../../src/handle/fold/fold-delivery.ts';
import { wantsEvent } from '../../src/handle/define/definition.ts';
import { createIdentify } from '../../src/identify/identify.ts';
import { parsedEvent } from '../support/verified-delivery.ts';
import { memoryMachineStates } from '../../src/testing/memory-machine-states.ts';
import { scenarioLines, scenarioNames } from '../support/webhooks/fixtures.ts';
import { specification } from '../../src/contract/specification.ts';

const identify = createIdentify(specification, (id) => id);

const run = (): void => undefined;
const machines = [
  loginAttempt({
    onStarted: run,
    onStep: run,
    onSucceeded: run,
    onFailed: run,
    onConnected: run,
    onDisconnected: run,
  }),
  indicationDocument({
    onSigned: run,
    onRefused: run,
    onDocumentExpired: run,
    onPending: run,
    onReview: run,
    onFiled: run,
    onExpired: run,
  }),
  paymentSlip({ onPending: run, onRequested: run, onIssued: run, onRejected: run, onFailed: run }),
];

interface Result {
  /** By subject. */
  readonly states: Readonly<Record<string, unknown>>;
  readonly anomalies: number;
  /** `<kind> <version> <effect>`, sorted. */
  readonly effects: readonly string[];
}

/** Parses, identifies and folds the bodies in order. A duplicate is skipped. */
async function fold(bodies: readonly string[]): Promise<Result> {
  const store = memoryMachineStates();
  const states: Record<string, unknown> = {};
  const anomalies: Record<string, number> = {};
  const effects = new Set<string>();
  const known = new Map<string, StoredEvent>();

  for (const body of bodies) {
    const parsed = parsedEvent(body);
    const { subject, version, digest } = identify(parsed);
    const key = Buffer.from(digest).toString('hex');
    if (known.has(key)) continue;
    const event = {
      id: `abc123-${String(known.size + 1)}`,
      kind: parsed.kind,
      recognized: true,
      source: 'default',
      subject,
      version,
      verdict: 'new',
      data: parsed.data,
    } as unknown as StoredEvent;
    known.set(key, event);
    store.log(event);

    for (const machine of machines.filter((one) => wantsEvent(one, event))) {
      const commit = await foldDelivery(machine, { event, replay: null }, store);
      await store.commitMachine('default', subject, commit, 0);
      const state = await store.machineState(machine.name, 'default', subject);
      states[subjectName(subject)] = state?.state;
      anomalies[subjectName(subject)] = state?.anomalies ?? 0;
      for (const { eventId, name } of commit.effects) {
        const of = known.values().find(({ id }) => id === eventId);
        effects.add([of?.kind, of?.version, name].join(' '));
      }
    }
  }
  const all = Object.values(anomalies).reduce((sum, count) => sum + count, 0);
  return { states, anomalies: all, effects: [...effects].sort() };
}

const finalStates: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  'indication-expired': {
    'traffic-violation-indication:3352': { status: 'expired', document: 'expired', external: false },
  },
  'indication-refused': {
    'traffic-violation-indication:3351': { status: 'pending', document: 'refused', external: false },
  },
  'indication-signed': {
    'traffic-violation-indication:3350': { status: 'filed', document: 'signed', external: false },
  },
  'login-failing-at-otp': {
    'company-login:47': { phase: 'failed', step: 'otp', attempt: 5, session: 'unknown' },
  },
  'login-refused-password-and-two-codes': {
    'company-login:12': { phase: 'succeeded', step: 'completed', attempt: 2, session: 'connected' },
  },
  'login-session-expiry-and-reconnection': {
    'company-login:12': { phase: 'succeeded', step: 'completed', attempt: 1, session: 'connected' },
  },
  'login-while-connected': {
    'user-login:52': { phase: 'succeeded', step: 'completed', attempt: 1, session: 'connected' },
  },
  'slip-issued': {
    'traffic-violation-ticket:6120': { status: 'issued' },
    'antt-violation-ticket:730': { status: 'issued' },
    'charge-payment-slip:415': { status: 'issued' },
  },
  'slip-rejected': {
    'traffic-violation-ticket:6121': { status: 'rejected' },
    'antt-violation-ticket:731': { status: 'rejected' },
    'charge-payment-slip:416': { status: 'rejected' },
  },
  'sne-sign-up': {},
  'user-login': {
    'user-login:34': { phase: 'succeeded', step: 'completed', attempt: 1, session: 'connected' },
  },
};

it('covers every scenario', () => {
  expect(scenarioNames()).toEqual(Object.keys(finalStates));
});

describe.each(Object.keys(finalStates))('the scenario %s', (name) => {
  it('ends in the expected states without an anomaly', async () => {
    const { states, anomalies } = await fold(scenarioLines(name));
    expect(states).toEqual(finalStates[name]);
    expect(anomalies).toBe(0);
  });

  it('ends in the same states when shuffled and repeated, and runs at least the same effects', async () => {
    const inOrder = await fold(scenarioLines(name));
    const shuffled = await fold(scenarioLines(`${name}.shuffled`));
    expect(shuffled.states).toEqual(inOrder.states);
    expect(shuffled.anomalies).toBe(0);
    expect(shuffled.effects).toEqual(expect.arrayContaining([...inOrder.effects]));
  });

  it('ends in the same states for any order', async () => {
    const lines = scenarioLines(name);
    const inOrder = await fold(lines);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...lines], { minLength: lines.length }), async (order) => {
        const { states, anomalies, effects } = await fold(order);
        expect([states, anomalies]).toEqual([inOrder.states, 0]);
        expect(effects).toEqual(expect.arrayContaining([...inOrder.effects]));
      }),
      { numRuns: 25 },
    );
  });
});
