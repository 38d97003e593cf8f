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

/** What came of the event under test. */
export interface MachineOutcome {
  readonly state: unknown;
  /** What was found impossible about this event's change. */
  readonly anomalies: readonly string[];
  /** The names of the effects that it brought about. */
  readonly effects: readonly string[];
  /** Whether it arrived after something newer. */
  readonly late: boolean;
}

/** Each looks at the outcome, and returns the same again for the next. */
export interface MachineExpectation {
  /** The whole state, or a function that looks at the outcome. */
  then(expected: JsonValue | object | ((outcome: MachineOutcome) => void)): this;
  /** Exactly these effects, in any order. */
  thenEffects(...names: readonly string[]): this;
  /** As many anomalies as patterns, each fitting its pattern. */
  thenAnomalies(...patterns: readonly RegExp[]): this;
  /** Runs the effects that were called for, one after the other, as the dispatcher would. */
  runEffects(context?: HandlerContext): Promise<readonly unknown[]>;
}

export interface MachineSpecification {
  /** Events of one subject that the machine has seen, in the order they arrived. */
  given(events: readonly AnyEvent[]): { when(event: AnyEvent): MachineExpectation };
}

/**
 * Says what a machine does, without a store:
 * `machineSpecification(machine).given([started]).when(failed).then({ ... })`.
 * Events are numbered as they are listed; one whose version is older than
 * those before it is late, as it would be in production.
 */
export function machineSpecification(machine: Machine): MachineSpecification {
  return {
    given: (events) => ({
      when(event) {
        ok(wantsEvent(machine, event), `${machine.name} gets no ${event.kind}`);
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
    // oxlint-disable-next-line unicorn/no-thenable -- given, when, then; awaited, it yields the outcome
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
      const fits =
        patterns.length === outcome.anomalies.length &&
        patterns.every((pattern, at) => pattern.test(outcome.anomalies[at] as string));
      ok(
        fits,
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
