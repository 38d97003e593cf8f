import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { PortariaError } from '../kernel/errors.ts';
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
}

/** What a plan says, for whoever starts it. Everybody who has it can read it; nobody can change it. */
export interface PlanContent {
  /** Starts one job only. */
  readonly id: string;
  readonly request: PlanRequest;
  readonly bounds: PlanBounds;
  /** The number of items. */
  readonly items: number;
  /** Whether it was made because an earlier plan had become too small: it is not made again for that. */
  readonly again: boolean;
}

/** Signs plans with a key of the store, which all processes on it share. */
export interface PlanSeal {
  seal(plan: PlanContent): string;
  /**
   * @throws PortariaError `invalid-argument` for a plan that is altered, of another store, or over
   */
  open(sealed: string, now: number): PlanContent;
}

const shape = z.object({ id: z.string(), bounds: z.object({ at: z.number() }) });

export async function createPlanSeal(store: Pick<Privacy, 'erasureKey'>): Promise<PlanSeal> {
  const key = Buffer.from(hkdfSync('sha256', await store.erasureKey(), '', 'portaria plan', 32));
  const sign = (text: string): Buffer => createHmac('sha256', key).update(text).digest();
  return {
    seal(plan) {
      const text = Buffer.from(JSON.stringify(plan)).toString('base64url');
      return `${text}.${sign(text).toString('base64url')}`;
    },
    open(sealed, now) {
      const [text = '', signature = '', ...rest] = sealed.split('.');
      // The texts are compared: a decoder would skip characters that belong to no signature.
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(text).toString('base64url'))];
      if (rest.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
        throw new PortariaError('invalid-argument', 'This is no plan of this store: make the plan again');
      const plan: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
      const { bounds } = shape.parse(plan);
      if (now - bounds.at >= PLAN_MS || now < bounds.at)
        throw new PortariaError('invalid-argument', 'The plan is older than 10 minutes: make it again');
      return plan as PlanContent;
    },
  };
}
