import type { EffectChange, EventOf, MachineChange } from 'portaria';

export const kinds = 'traffic-violation.indication.*';

export type IndicationEvent = EventOf<typeof kinds>;
export type IndicationStatus = IndicationEvent['data']['status'];
export type DocumentStatus = NonNullable<IndicationEvent['data']['document_status']>;

/** Nothing of the driver is kept, nor the reason, which may name one: they are in the event. */
export interface IndicationState {
  /** `none` before the first event. */
  readonly status: 'none' | IndicationStatus;
  /** Of the document to sign; `none` while there is none. */
  readonly document: DocumentStatus;
  /** Made outside the service: observed, and nothing is done about it. */
  readonly external: boolean;
}

export type IndicationChange = MachineChange<IndicationState, IndicationEvent>;
export type IndicationEffectChange = EffectChange<IndicationState, IndicationEvent>;

export const initial: IndicationState = { status: 'none', document: 'none', external: false };
