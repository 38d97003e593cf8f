import type { WriteOperations } from '../write-operations.ts';
import { acceptCodec, quarantineCodec } from './arrival-codec.ts';
import type { Codec } from './codec.ts';
import { completeCodec, claimCodec, rescheduleCodec } from './delivery-codec.ts';

/** For what is written seldom: parameters and result are cloned as they are. */
function cloned<Name extends keyof WriteOperations>(): Codec<Name> {
  return {
    putParameters: (tape, ...parameters) => {
      tape.put(parameters);
    },
    takeParameters: (tape) => tape.take(),
    putResult: (tape, result) => {
      tape.put(result);
    },
    takeResult: (tape) => tape.take(),
  };
}

export const codecs: { readonly [Name in keyof WriteOperations]: Codec<Name> } = {
  accept: acceptCodec,
  quarantine: quarantineCodec,
  claim: claimCodec,
  complete: completeCodec,
  reschedule: rescheduleCodec,
  succeed: cloned(),
  release: cloned(),
  recover: cloned(),
  resolveAmbiguity: cloned(),
  commitMachine: cloned(),
  createReplay: cloned(),
  enqueueReplay: cloned(),
  finishReplay: cloned(),
  retryDeliveries: cloned(),
  probe: cloned(),
};
