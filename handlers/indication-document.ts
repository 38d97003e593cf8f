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
  type DocumentStatus,
  type IndicationChange,
  type IndicationEffectChange,
  type IndicationEvent,
  type IndicationState,
  type IndicationStatus,
} from './indication-document/state.ts';
import { statusTable } from './indication-document/table.ts';

type Run = (change: IndicationEffectChange, context: HandlerContext) => unknown;

export interface IndicationDocumentOptions extends PolicyOptions {
  /** `indication-document`, unless there is to be more than one. */
  readonly name?: string;
  /** All signers have signed. The review begins with the same event, see `onReview`. */
  readonly onSigned?: Run;
  /** A signer refused; the indication stays pending. `change.event.data.status_reason` says why. */
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
 * A driver indication together with its document to sign (specification,
 * Resources, Driver indication; States and transitions).
 *
 * Each effect runs when the status, or the document's, becomes the one it is
 * named after, and never for an indication that was made outside the service.
 * The state is what the provider reports, whatever the tables have to say: a
 * move that is not in them is recorded as an anomaly.
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
    // Left out, they are as they were.
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
