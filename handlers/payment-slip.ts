import {
  defineMachine,
  type EffectDefinition,
  type HandlerContext,
  type Machine,
  type PolicyOptions,
} from 'portaria';
import { slipAnomalies } from './payment-slip/anomalies.ts';
import {
  initial,
  kinds,
  paymentCodes,
  statusReason,
  type SlipEffectChange,
  type SlipEvent,
  type SlipState,
  type SlipStatus,
} from './payment-slip/state.ts';
import { table } from './payment-slip/table.ts';

type Run<C> = (change: C, context: HandlerContext) => unknown;

/** With what pays it, as far as the slip's family and payment method have it. */
export type IssuedSlip = SlipEffectChange & ReturnType<typeof paymentCodes>;

/** With the reason, as far as the slip's family gives one. */
export type RefusedSlip = SlipEffectChange & { readonly reason: string | null };

export interface PaymentSlipOptions extends PolicyOptions {
  /** `payment-slip`, unless there is to be more than one. */
  readonly name?: string;
  readonly onPending?: Run<SlipEffectChange>;
  readonly onRequested?: Run<SlipEffectChange>;
  /** `change.barcode` and `change.pix`: at least one, if the provider keeps its word. */
  readonly onIssued?: Run<IssuedSlip>;
  /** The agency refused: `change.reason`. */
  readonly onRejected?: Run<RefusedSlip>;
  /** It could not be made: `change.reason`. */
  readonly onFailed?: Run<RefusedSlip>;
}

/**
 * A payment slip of any family (specification, Resources, payment slips).
 *
 * Each effect runs when the status becomes the one it is named after. The
 * state is the status that the provider reports, whatever the table has to say:
 * a move that is not in it is recorded as an anomaly.
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
  return defineMachine({
    ...policies,
    name,
    on: kinds,
    initial,
    evolve,
    anomalies: slipAnomalies,
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

function evolve(_: SlipState, { data }: SlipEvent): SlipState {
  return { status: data.status };
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

function withReason(change: SlipEffectChange): RefusedSlip {
  return { ...change, reason: statusReason(change.event) };
}
