import { PortariaError } from '../../kernel/errors.ts';
import type { HeldDelivery } from './held-deliveries.ts';
import type { Onward } from './move-lane-on.ts';
import type { StartedDelivery } from './started-delivery.ts';
import type { CommittedOperations } from './writer.ts';

/** As `advance` of a delivery that has succeeded, with nothing more to store. */
export type RecordSuccess = (held: HeldDelivery, onward: Onward) => Promise<StartedDelivery | null>;

interface Success {
  readonly held: HeldDelivery;
  readonly resolve: (following: StartedDelivery | null) => void;
  readonly reject: (error: unknown) => void;
}

interface Group {
  readonly first: HeldDelivery;
  readonly onward: Onward;
  readonly successes: Success[];
}

/**
 * Quick handlers succeed many at a time, one after the other: what is like the
 * one before is recorded together with it. That is one operation and two
 * statements for all, instead of one and two for each.
 */
export function createGatherSuccesses({ advance, succeed }: CommittedOperations): RecordSuccess {
  let open: Group | undefined;

  function send(group: Group): void {
    if (open === group) open = undefined;
    const { first, onward, successes } = group;
    if (successes.length === 1) {
      one(successes[0], onward);
      return;
    }
    const { handler, replayId } = first;
    const ids = JSON.stringify(successes.map(({ held }) => held.id));
    const lanes = JSON.stringify(successes.map(({ held }) => held.lane));
    succeed({ handler, replayId, ids, lanes, count: successes.length }, onward).then(
      (followings) => {
        const started = new Map(followings.map((following) => [following.at, following.started]));
        for (const [at, { resolve }] of successes.entries()) resolve(started.get(at) ?? null);
      },
      (error: unknown) => {
        // One that is not held takes no others along: each hears for itself.
        if (PortariaError.is(error, 'invalid-argument'))
          for (const success of successes) one(success, onward);
        else for (const { reject } of successes) reject(error);
      },
    );
  }

  function one(success: Success | undefined, onward: Onward): void {
    if (success === undefined) return;
    advance(success.held, { status: 'succeeded' }, onward).then(success.resolve, success.reject);
  }

  return (held, onward) =>
    new Promise((resolve, reject) => {
      if (open === undefined || !takes(open, held, onward)) {
        const group: Group = { first: held, onward, successes: [] };
        open = group;
        queueMicrotask(() => {
          send(group);
        });
      }
      open.successes.push({ held, resolve, reject });
    });
}

function takes({ first, onward }: Group, held: HeldDelivery, other: Onward): boolean {
  return (
    held.handler === first.handler &&
    held.replayId === first.replayId &&
    other.now === onward.now &&
    other.next === onward.next &&
    other.replay === onward.replay
  );
}
