/** `portaria/handlers/payment-slip`: a machine that follows payment slips and runs an effect for each status. */
import {
  defineMachine,
  isPhase,
  nextPhase,
  type EffectChange,
  type EffectDefinition,
  type EventOf,
  type HandlerContext,
  type Machine,
  type MachineChange,
  type PolicyOptions,
  type TransitionTable,
} from 'portaria';

/** The slips of traffic violations, ANTT violations and charges. */
const kinds = ['traffic-violation.ticket.*', 'antt-violation.ticket.*', 'charge.payment-slip.*'] as const;

type SlipEvent = EventOf<(typeof kinds)[number]>;
type SlipStatus = SlipEvent['data']['status'];

/** The state keeps no payment codes: the event has them. */
interface SlipState {
  /** `none` before the first event. */
  readonly status: 'none' | SlipStatus;
}

type SlipChange = MachineChange<SlipState, SlipEvent>;
type SlipEffectChange = EffectChange<SlipState, SlipEvent>;
type Run<C> = (change: C, context: HandlerContext) => unknown;

/** A change to `issued`, with the codes that pay the slip. */
export type IssuedSlip = SlipEffectChange & PaymentCodes;

/** A change to `rejected` or `failed`. `reason` is null when the event gives none; traffic violations never do. */
export type UnissuedSlip = SlipEffectChange & { readonly reason: string | null };

/** Settings of the machine. Without callbacks it only keeps the state and its anomalies. */
export interface PaymentSlipOptions extends PolicyOptions {
  /** Name of the machine (default `payment-slip`). Two machines need two names. */
  readonly name?: string;
  readonly onPending?: Run<SlipEffectChange>;
  readonly onRequested?: Run<SlipEffectChange>;
  /** The slip can be paid with `change.barcode` or `change.pix`. An anomaly is recorded when both are null. */
  readonly onIssued?: Run<IssuedSlip>;
  /** The agency rejected the slip: `change.reason`. */
  readonly onRejected?: Run<UnissuedSlip>;
  /** The slip could not be issued: `change.reason`. */
  readonly onFailed?: Run<UnissuedSlip>;
}

/**
 * The expected moves. The specification only documents the start at `pending`.
 * `requested` is optional: a slip can be issued or rejected before a webhook
 * reports that it was requested.
 */
const table = {
  initial: 'none',
  transitions: [
    { from: 'none', on: 'pending', to: 'pending' },
    { from: 'pending', on: 'requested', to: 'requested' },
    { from: 'pending', on: 'issued', to: 'issued' },
    { from: 'pending', on: 'rejected', to: 'rejected' },
    { from: 'pending', on: 'failed', to: 'failed' },
    { from: 'requested', on: 'issued', to: 'issued' },
    { from: 'requested', on: 'rejected', to: 'rejected' },
    { from: 'requested', on: 'failed', to: 'failed' },
  ],
} as const satisfies TransitionTable;

/**
 * A machine for the payment slips of every family (specification, Resources,
 * payment slips). An effect runs when the status changes to the one in its name:
 *
 * ```ts
 * export default paymentSlip({
 *   onIssued: ({ event, barcode }, { idempotencyKey }) => schedulePayment(event.data.id, barcode, idempotencyKey),
 * });
 * ```
 *
 * The state is the status that the provider reports. A move that is not in the
 * table is recorded as an anomaly.
 */
export function paymentSlip(options: PaymentSlipOptions = {}): Machine {
  const {
    name = 'payment-slip',
    onPending,
    onRequested,
    onIssued,
    onRejected,
    onFailed,
    ...policies
  } = options;
  const initial: SlipState = { status: 'none' };
  return defineMachine({
    ...policies,
    name,
    on: kinds,
    initial,
    evolve: (_state, { data }) => ({ status: data.status }),
    anomalies,
    table,
    effects: {
      onPending: effect('pending', onPending, (change) => change),
      onRequested: effect('requested', onRequested, (change) => change),
      onIssued: effect('issued', onIssued, (change) => ({ ...change, ...paymentCodes(change.event) })),
      onRejected: effect('rejected', onRejected, withReason),
      onFailed: effect('failed', onFailed, withReason),
    },
  });
}

export default paymentSlip();

/** Describes what is unexpected about a change, or contradicts the specification. */
function anomalies({ before, after, event }: SlipChange): readonly string[] {
  const found: string[] = [];
  const created = event.kind.endsWith('.created');
  if (before.status === 'none') {
    // If the first event is an update, the slip is older than the receiver.
    if (created && after.status !== 'pending') found.push(`created as ${after.status}, instead of pending`);
  } else {
    if (created) found.push('created again');
    if (after.status !== before.status && nextPhase(table, before.status, after.status) === undefined) {
      found.push(`${before.status} became ${after.status}`);
    }
  }
  if (!isPhase(table, after.status)) found.push(`status ${after.status} is not known`);

  const { barcode, pix } = paymentCodes(event);
  const method = 'payment_method' in event.data ? event.data.payment_method : null;
  if (after.status === 'issued') {
    if (method === 'pix' && pix === null) found.push('issued for PIX without its code');
    else if (barcode === null && pix === null) found.push('issued without barcode or PIX code');
  }
  if (pix !== null && method !== 'pix') found.push('a PIX code with another payment method');
  return found;
}

function effect<C>(
  status: SlipStatus,
  run: Run<C> | undefined,
  detail: (change: SlipEffectChange) => C,
): EffectDefinition<SlipState, SlipEvent> | undefined {
  if (run === undefined) return undefined;
  return {
    when: ({ before, after }) => after.status === status && before.status !== status,
    run: (change, context) => run(detail(change), context),
  };
}

interface PaymentCodes {
  readonly barcode: string | null;
  /** Always null for the slips of charges. */
  readonly pix: string | null;
}

function paymentCodes({ data }: SlipEvent): PaymentCodes {
  return { barcode: nonEmpty(data.barcode), pix: 'pix' in data ? nonEmpty(data.pix) : null };
}

function withReason(change: SlipEffectChange): UnissuedSlip {
  const { data } = change.event;
  return { ...change, reason: 'status_reason' in data ? nonEmpty(data.status_reason) : null };
}

function nonEmpty(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
