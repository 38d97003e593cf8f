/** The entry point `portaria/testing`: events, contexts, clocks and assertions for tests of handlers and machines. */
export { isDiscard, isGiveUp, isRetryLater } from '../handle/define/outcome.ts';
export { handlerOutcome } from './handler-outcome.ts';
export { machineSpecification } from './machine-specification.ts';
export type { MachineExpectation, MachineOutcome, MachineSpecification } from './machine-specification.ts';
export { manualClock } from './manual-clock.ts';
export type { ManualClock } from './manual-clock.ts';
export { sampleData } from './sample-data.ts';
export { seededRandom } from '../kernel/random.ts';
export { testContext } from './test-context.ts';
export type { LogEntry, TestContext } from './test-context.ts';
export { testEvent, unrecognizedEvent } from './test-event.ts';
export type { TestEventOverrides } from './test-event.ts';
