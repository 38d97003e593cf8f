/** The state of an indication and its document, and their expected moves. */
import type { EffectChange, EventOf, MachineChange, TransitionTable } from 'portaria';

export const kinds = 'traffic-violation.indication.*';

export type IndicationEvent = EventOf<typeof kinds>;
export type IndicationStatus = IndicationEvent['data']['status'];
export type DocumentStatus = NonNullable<IndicationEvent['data']['document_status']>;

/** The state of one indication. It keeps no data of the driver, and no reason, which may name a person: the event has them. */
export interface IndicationState {
  /** `none` before the first event. */
  readonly status: 'none' | IndicationStatus;
  /** The status of the document to sign; `none` without a document. */
  readonly document: DocumentStatus;
  /** True for an indication that was made outside the service. No effect runs for it. */
  readonly external: boolean;
}

export type IndicationChange = MachineChange<IndicationState, IndicationEvent>;
export type IndicationEffectChange = EffectChange<IndicationState, IndicationEvent>;

export const initial: IndicationState = { status: 'none', document: 'none', external: false };

/**
 * The expected moves of an indication. The specification shows three of them
 * (creation, signature, and cancellation of a pending one); the others follow
 * from the meaning of each status. The agency may still void a filed indication.
 */
export const statusTable = {
  initial: 'none',
  transitions: [
    { from: 'none', on: 'pending', to: 'pending' },
    { from: 'pending', on: 'review', to: 'review' },
    { from: 'pending', on: 'accepted', to: 'accepted' },
    { from: 'pending', on: 'filed', to: 'filed' },
    { from: 'pending', on: 'expired', to: 'expired' },
    { from: 'pending', on: 'rejected', to: 'rejected' },
    { from: 'pending', on: 'failed', to: 'failed' },
    { from: 'pending', on: 'voided', to: 'voided' },
    { from: 'pending', on: 'canceled', to: 'canceled' },
    { from: 'review', on: 'accepted', to: 'accepted' },
    { from: 'review', on: 'filed', to: 'filed' },
    { from: 'review', on: 'failed', to: 'failed' },
    { from: 'review', on: 'voided', to: 'voided' },
    { from: 'accepted', on: 'filed', to: 'filed' },
    { from: 'accepted', on: 'failed', to: 'failed' },
    { from: 'accepted', on: 'voided', to: 'voided' },
    { from: 'filed', on: 'accepted', to: 'accepted' },
    { from: 'filed', on: 'failed', to: 'failed' },
    { from: 'filed', on: 'voided', to: 'voided' },
  ],
} as const satisfies TransitionTable;

/** The expected moves of the document. An unsigned document ends together with its indication. */
export const documentTable = {
  initial: 'none',
  transitions: [
    { from: 'none', on: 'pending', to: 'pending' },
    { from: 'pending', on: 'signed', to: 'signed' },
    { from: 'pending', on: 'refused', to: 'refused' },
    { from: 'pending', on: 'expired', to: 'expired' },
    { from: 'pending', on: 'canceled', to: 'canceled' },
  ],
} as const satisfies TransitionTable;
