import type { EffectChange, EventOf, MachineChange } from 'portaria';

/** The slips of traffic violations, ANTT violations and charges. */
export const kinds = [
  'traffic-violation.ticket.*',
  'antt-violation.ticket.*',
  'charge.payment-slip.*',
] as const;

export type SlipEvent = EventOf<(typeof kinds)[number]>;
export type SlipStatus = SlipEvent['data']['status'];

/** No payment code is kept: it is in the event that brought it. */
export interface SlipState {
  /** `none` before the first event. */
  readonly status: 'none' | SlipStatus;
}

export type SlipChange = MachineChange<SlipState, SlipEvent>;
export type SlipEffectChange = EffectChange<SlipState, SlipEvent>;

export const initial: SlipState = { status: 'none' };

/** What pays the slip. The slips of charges have no PIX code. */
export function paymentCodes({ data }: SlipEvent): {
  readonly barcode: string | null;
  readonly pix: string | null;
} {
  return { barcode: filled(data.barcode), pix: 'pix' in data ? filled(data.pix) : null };
}

/** Why a slip was rejected or failed. The slips of traffic violations do not say. */
export function statusReason({ data }: SlipEvent): string | null {
  return 'status_reason' in data ? filled(data.status_reason) : null;
}

function filled(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
