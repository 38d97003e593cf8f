/** `portaria/handlers/indication-document`: a machine that follows driver indications and their documents to sign. */
import {
  defineMachine,
  type EffectDefinition,
  type HandlerContext,
  type Machine,
  type PolicyOptions,
} from 'portaria';
import { indicationAnomalies } from './indication-document/anomalies.ts';
import {
  initial,
  kinds,
  statusTable,
  type DocumentStatus,
  type IndicationChange,
  type IndicationEffectChange,
  type IndicationEvent,
  type IndicationState,
  type IndicationStatus,
} from './indication-document/state.ts';

type Run = (change: IndicationEffectChange, context: HandlerContext) => unknown;

/** Settings of the machine. Without callbacks it only keeps the state and its anomalies. */
export interface IndicationDocumentOptions extends PolicyOptions {
  /** Name of the machine (default `indication-document`). Two machines need two names. */
  readonly name?: string;
  /** All signers have signed. The same event starts the review, see `onReview`. */
  readonly onSigned?: Run;
  /** A signer refused; the indication stays pending. The reason is `change.event.data.status_reason`. */
  readonly onRefused?: Run;
  /** The document can no longer be signed. The indication may expire with another event, see `onExpired`. */
  readonly onDocumentExpired?: Run;
  readonly onPending?: Run;
  readonly onReview?: Run;
  readonly onAccepted?: Run;
  readonly onFiled?: Run;
  readonly onExpired?: Run;
  readonly onRejected?: Run;
  readonly onFailed?: Run;
  readonly onVoided?: Run;
  readonly onCanceled?: Run;
}

/**
 * A machine for driver indications and their documents (specification, Resources,
 * Driver indication; States and transitions). An effect runs when the status, or
 * the document's status, changes to the one in its name:
 *
 * ```ts
 * export default indicationDocument({
 *   onRefused: ({ event }) => askForAnotherDriver(event.data.id, event.data.status_reason),
 * });
 * ```
 *
 * The state is what the provider reports. A move that is not in the tables is
 * recorded as an anomaly. No effect runs for an external indication, which was
 * made outside the service.
 */
export function indicationDocument(options: IndicationDocumentOptions = {}): Machine {
  const {
    name = 'indication-document',
    onSigned,
    onRefused,
    onDocumentExpired,
    onPending,
    onReview,
    onAccepted,
    onFiled,
    onExpired,
    onRejected,
    onFailed,
    onVoided,
    onCanceled,
    ...policies
  } = options;
  return defineMachine({
    ...policies,
    name,
    on: kinds,
    initial,
    evolve,
    anomalies: indicationAnomalies,
    table: statusTable,
    effects: {
      onSigned: effect(documentBecomes('signed'), onSigned),
      onRefused: effect(documentBecomes('refused'), onRefused),
      onDocumentExpired: effect(documentBecomes('expired'), onDocumentExpired),
      onPending: effect(becomes('pending'), onPending),
      onReview: effect(becomes('review'), onReview),
      onAccepted: effect(becomes('accepted'), onAccepted),
      onFiled: effect(becomes('filed'), onFiled),
      onExpired: effect(becomes('expired'), onExpired),
      onRejected: effect(becomes('rejected'), onRejected),
      onFailed: effect(becomes('failed'), onFailed),
      onVoided: effect(becomes('voided'), onVoided),
      onCanceled: effect(becomes('canceled'), onCanceled),
    },
  });
}

export default indicationDocument();

function evolve(state: IndicationState, { data }: IndicationEvent): IndicationState {
  return {
    status: data.status,
    // An absent field has not changed.
    document: data.document_status ?? state.document,
    external: data.external ?? state.external,
  };
}

type Condition = (change: IndicationChange) => boolean;

function becomes(status: IndicationStatus): Condition {
  return ({ before, after }) => after.status === status && before.status !== status;
}

function documentBecomes(document: DocumentStatus): Condition {
  return ({ before, after }) => after.document === document && before.document !== document;
}

function effect(
  when: Condition,
  run: Run | undefined,
): EffectDefinition<IndicationState, IndicationEvent> | undefined {
  if (run === undefined) return undefined;
  return { when: (change) => !change.after.external && when(change), run };
}
