/** Tests of machines in the form given, when, then. */
import { deepStrictEqual, ok } from 'node:assert';
import type { StoredEvent } from '../event/stored-event.ts';
import type { JsonValue } from '../kernel/json/json.ts';
import type { EventKind } from '../contract/catalogue.ts';
import type { TypedEvent } from '../handle/define/handler-event.ts';
import type { HandlerContext } from '../handle/define/handler-context.ts';
import type { Machine } from '../handle/define/machine.ts';
import { refold, type Refolded } from '../handle/fold/refold.ts';
import { wantsEvent } from '../handle/define/definition.ts';
import { testContext } from './test-context.ts';

type AnyEvent = StoredEvent | TypedEvent<EventKind>;

/** The result of the event under test. */
export interface MachineOutcome {
  readonly state: unknown;
  /** The anomalies of this event's change. */
  readonly anomalies: readonly string[];
  /** The names of the new effects. */
  readonly effects: readonly string[];
  /** True when a newer event arrived before it. */
  readonly late: boolean;
}

/** Assertions about the outcome, which can be chained. */
export interface MachineExpectation {
  /** Asserts the whole state, or passes the outcome to a function that makes its own assertions. */
  then(expected: JsonValue | object | ((outcome: MachineOutcome) => void)): this;
  /** Asserts exactly these effects, in any order. */
  thenEffects(...names: readonly string[]): this;
  /** Asserts one anomaly per pattern, each matching its pattern, in order. */
  thenAnomalies(...patterns: readonly RegExp[]): this;
  /** Runs the new effects one after another, as the dispatcher would, and returns their results. */
  runEffects(context?: HandlerContext): Promise<readonly unknown[]>;
}

export interface MachineSpecification {
  /** Sets the events of one subject that the machine has folded, in the order of arrival. */
  given(events: readonly AnyEvent[]): { when(event: AnyEvent): MachineExpectation };
}

/**
 * Tests a machine without a store. Use `testEvent` for the events:
 *
 * ```ts
 * machineSpecification(machine)
 *   .given([testEvent('charge.created')])
 *   .when(testEvent('charge.updated', { data: { status: 'paid' } }))
 *   .then({ status: 'paid' })
 *   .thenEffects('paid');
 * ```
 *
 * Events are numbered in the order in which they are listed. An event with an
 * older version than the events before it is late, as in production.
 *
 * @throws AssertionError from `when`, if the machine does not receive the event, and from each failed assertion.
 */
export function machineSpecification(machine: Machine): MachineSpecification {
  return {
    given: (events) => ({
      when(event) {
        ok(wantsEvent(machine, event), `${machine.name} does not receive ${event.kind}`);
        const [last, ...known] = [...events, event].map(numbered).reverse() as [
          StoredEvent,
          ...StoredEvent[],
        ];
        return expectation(machine, last, refold(machine, known, last));
      },
    }),
  };
}

function expectation(machine: Machine, event: StoredEvent, refolded: Refolded): MachineExpectation {
  const outcome: MachineOutcome = {
    state: refolded.state,
    anomalies: refolded.anomalies.filter(({ eventId }) => eventId === event.id).map(({ message }) => message),
    effects: refolded.newEffects.map(({ name }) => name),
    late: refolded.late,
  };
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- the name comes from given, when, then; awaiting it yields the outcome
    then(expected) {
      if (typeof expected === 'function') (expected as (outcome: MachineOutcome) => void)(outcome);
      else deepStrictEqual(outcome.state, expected);
      return this;
    },
    thenEffects(...names) {
      deepStrictEqual([...outcome.effects].sort(), [...names].sort());
      return this;
    },
    thenAnomalies(...patterns) {
      const matches =
        patterns.length === outcome.anomalies.length &&
        patterns.every((pattern, at) => pattern.test(outcome.anomalies[at] as string));
      ok(
        matches,
        `expected anomalies ${patterns.join(', ') || '(none)'}, got: ${outcome.anomalies.join('; ') || '(none)'}`,
      );
      return this;
    },
    async runEffects(context = testContext()) {
      const results: unknown[] = [];
      for (const { name, change } of refolded.newEffects) {
        const effect = machine.effects.find((one) => one.name === name);
        results.push(await effect?.run({ ...change, late: refolded.late }, context));
      }
      return results;
    },
  };
}

function numbered(event: AnyEvent, at: number): StoredEvent {
  return { ...(event as StoredEvent), id: `sample-${String(at + 1)}` };
}
