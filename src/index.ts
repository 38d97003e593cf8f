/** Portaria as a library: for files of handlers, and for applications that embed the receiver. */
export { defineHandler, type HandlerDefinition } from './handle/define/define-handler.ts';
export {
  defineMachine,
  type EffectChange,
  type EffectDefinition,
  type MachineChange,
  type MachineDefinition,
} from './handle/define/define-machine.ts';
export { fromConfig } from './handle/define/from-config.ts';
export type { HandlerConfig } from './handle/define/handler-config.ts';
export type { HandlerContext } from './handle/define/handler-context.ts';
export type { HandlerEvent, UnrecognizedEvent } from './handle/define/handler-event.ts';
export type { EventOf, TypedEvent } from './handle/fold/event-of.ts';
export type { Handler } from './handle/define/handler.ts';
export type { Machine } from './handle/define/machine.ts';
export type { PolicyOptions } from './handle/define/policies.ts';
export { Discard, GiveUp, RetryLater } from './handle/define/outcome.ts';
export { nextPhase, type Transition, type TransitionTable } from './handle/define/transition-table.ts';
export { stateDiagram } from './handle/define/state-diagram.ts';

export { catalogue, eventKinds, isEventKind, type DataOf, type EventKind } from './contract/catalogue.ts';
export { type EventPattern, type KindsOf } from './contract/event-pattern.ts';
export { maskPersonalData, personalDataPaths } from './contract/personal-data.ts';

export { createPortaria, type Addresses, type Portaria, type PortariaOptions } from './compose.ts';
export { loadConfig } from './config/load-config.ts';
export type { Config } from './config/config.ts';
export { PortariaError, type ErrorCode, type Problem } from './kernel/errors.ts';
export type { Logger } from './kernel/logger.ts';
export type { JsonObject, JsonValue } from './kernel/json/json.ts';
export { subjectName, type Subject } from './event/subject.ts';
export type { EventRecord, StoredEvent, Verdict } from './event/stored-event.ts';
