/**
 * The entry point `portaria`: the functions and types for handlers files, and
 * for an application that embeds the receiver.
 */
export { defineHandler, type Handler, type HandlerDefinition } from './handle/define/handler.ts';
export {
  defineMachine,
  type EffectChange,
  type EffectDefinition,
  type Machine,
  type MachineChange,
  type MachineDefinition,
} from './handle/define/machine.ts';
export { fromConfig, type HandlerConfig } from './handle/define/definition.ts';
export type { HandlerContext } from './handle/define/handler-context.ts';
export type {
  EventOf,
  HandlerEvent,
  OwnEvent,
  TypedEvent,
  UnrecognizedEvent,
} from './handle/define/handler-event.ts';
export type { PolicyOptions } from './handle/define/policies.ts';
export type { RateLimit, RateOption } from './handle/define/rate.ts';
export { Discard, GiveUp, RetryLater } from './handle/define/outcome.ts';
export {
  isPhase,
  nextPhase,
  stateDiagram,
  type Transition,
  type TransitionTable,
} from './handle/define/transition-table.ts';

export {
  catalogue,
  eventKinds,
  isEventKind,
  undeclaredFields,
  type DataOf,
  type EventKind,
} from './contract/catalogue.ts';
export { type EventPattern, type KindsOf } from './contract/event-pattern.ts';
export {
  defineKind,
  type KindDefinition,
  type KindOptions,
  type SubjectRule,
} from './handle/kinds/kind-definition.ts';
export {
  defineSource,
  type EnvelopeOptions,
  type SourceDefinition,
  type SourceOptions,
} from './handle/kinds/source-definition.ts';
export type {
  SourceVerification,
  UnverifiedRequest,
  VerifyFunction,
} from './contract/source-verification.ts';
export type { StandardSchema } from './handle/kinds/kind-definition.ts';
export { openSet as openEnum, type OpenSet as OpenEnum } from './contract/field/schemas.ts';
/** zod, for the schemas of custom kinds. */
export { z } from 'zod';
export { maskPersonalData, personalDataPaths } from './contract/specification.ts';
export { maskText } from './kernel/text/scrub.ts';

export { createPortaria, type Portaria, type PortariaOptions } from './compose.ts';
export type { Addresses } from './lifecycle.ts';
export { loadConfig } from './config/load-config.ts';
export type { Config } from './config/config.ts';
export { patientFetch } from './kernel/http/patient-fetch.ts';
export { traceHeaders } from './kernel/http/traceparent.ts';
export { retryAfterMs } from './kernel/http/retry-after.ts';
export { PortariaError, type ErrorCode, type Problem } from './kernel/errors.ts';
export type { Logger } from './kernel/logger.ts';
export type { JsonObject, JsonValue } from './kernel/json/json.ts';
export { sentJson } from './kernel/json/sent-numbers.ts';
export { subjectName, type Subject } from './event/subject.ts';
export type { EventRecord, StoredEvent, Verdict } from './event/stored-event.ts';
