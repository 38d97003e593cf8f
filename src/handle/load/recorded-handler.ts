/** Handlers as the store records them, so that other processes can route to them. */
import { PortariaError } from '../../kernel/errors.ts';
import type { RecordedHandler } from '../../store/processes.ts';
import type { Definition } from '../define/definition.ts';
import { laneOrder } from '../define/handler.ts';
import { effectsName } from '../define/machine.ts';
import { definitionMark } from '../define/marks.ts';

/** Returns what another process may know of a handler or machine: everything but its functions. */
export function recordedHandler(definition: Definition): RecordedHandler {
  const { name, type, on, retry, timeoutMs, breaker, afterDeadLetter } = definition;
  const policies = { retry: { ...retry }, timeoutMs, breaker: { ...breaker }, afterDeadLetter };
  const shared = { name, type, on: [...on], ...policies };
  if (definition.type === 'handler') {
    const { latest, stale } = definition;
    return { ...shared, order: laneOrder(definition), latest, stale, effects: [] };
  }
  // Machines are folds: one subject at a time, and stale events belong in its history.
  return { ...shared, order: 'subject', stale: true, effects: definition.effects.map((each) => each.name) };
}

/** Returns the names that deliveries to recorded handlers carry. */
export function recordedDeliveryNames(recorded: readonly RecordedHandler[]): readonly string[] {
  return recorded.flatMap(({ name, type }) => (type === 'handler' ? [name] : [name, effectsName(name)]));
}

/**
 * Returns a definition that routes events as the recorded one does and cannot run: its functions are in
 * another process.
 */
export function definitionOf(recorded: RecordedHandler): Definition {
  const { name, type, on, order, stale, retry, timeoutMs, breaker, effects } = recorded;
  const { afterDeadLetter = 'continue', latest } = recorded;
  const elsewhere = (): never => {
    throw new PortariaError('handler-invalid', `${type} ${name} runs in another process`);
  };
  // The custom kinds are in `on`, too, by their names.
  const policies = { retry, timeoutMs, breaker, afterDeadLetter, trace: 'link' } as const;
  const shared = { name, on, customKinds: [], ...policies, [definitionMark]: true };
  if (type === 'handler') {
    const named = latest === undefined ? order : 'latest';
    return { ...shared, type, order: named, latest, stale, handle: elsewhere };
  }
  return {
    ...shared,
    type,
    initial: null,
    evolve: elsewhere,
    anomalies: elsewhere,
    effects: effects.map((effect) => ({ name: effect, when: elsewhere, run: elsewhere })),
    table: null,
  };
}
