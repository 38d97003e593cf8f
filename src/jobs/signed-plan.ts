/** Plans as signed tokens: what was planned is what starts, within ten minutes. */
import { z } from 'zod';
import { PortariaError } from '../kernel/errors.ts';
import { createSigner } from '../kernel/signed-token.ts';
import { AHEAD_MS } from '../kernel/time/following-clock.ts';
import { hasNewCondition } from '../store/plans.ts';
import type { Privacy } from '../store/privacy.ts';
import type { PlanRequest } from './plan-request.ts';

/** Milliseconds for which a plan can be started. */
export const PLAN_MS = 10 * 60_000;

/** Where the items of a plan end, so that nothing that comes later belongs to it. */
export interface PlanBounds {
  /** When the plan was made, in milliseconds since 1970. */
  readonly at: number;
  /** The newest delivery, entry or event; null when there is none. */
  readonly last: string | null;
  /** The newest failed attempt. A plan of 1.0 has none. */
  readonly attempt?: number;
}

/** The content of a plan. Everybody who has the plan can read it; nobody can change it. */
export interface PlanContent {
  /** Starts one job only. */
  readonly id: string;
  readonly request: PlanRequest;
  readonly bounds: PlanBounds;
  /** The number of items. */
  readonly items: number;
  /** Those that match and are overtaken. A plan of an earlier version does not say. */
  readonly left?: number;
  /** Whether it replaces a plan that had become too small. A plan is replaced once at most. */
  readonly again: boolean;
}

/** Signs plans with a key of the store, which all processes on it share. */
export interface PlanSigner {
  sign(plan: PlanContent): string;
  /**
   * @throws PortariaError `invalid-argument` for a plan that is altered, of another store, or expired
   */
  open(token: string, now: number): PlanContent;
}

const shape = z.object({ id: z.string(), bounds: z.object({ at: z.number() }) });

export async function createPlanSigner(store: Pick<Privacy, 'erasureKey'>): Promise<PlanSigner> {
  const signer = createSigner(await store.erasureKey(), 'portaria plan');
  return {
    // Versions that know the first purpose only refuse the others.
    sign: (plan) => signer.sign(hasNewCondition(JSON.stringify(plan)) ? 'plan 2' : 'plan', plan),
    open(token, now) {
      const plan = signer.open('plan', token) ?? signer.open('plan 2', token);
      if (plan === undefined) throw new PortariaError('invalid-argument', { code: 'foreign-plan' });
      const { bounds } = shape.parse(plan);
      if (now - bounds.at >= PLAN_MS) throw new PortariaError('invalid-argument', { code: 'old-plan' });
      if (now < bounds.at - AHEAD_MS)
        throw new PortariaError(
          'invalid-argument',
          'The plan was made by a process whose clock is ahead: compare the clocks, and make it again',
        );
      return plan as PlanContent;
    },
  };
}
