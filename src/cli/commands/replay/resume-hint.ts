import type { ReplayPlan } from '../../../replay/replay-plan.ts';
import type { ReplayFlags } from './replay-flags.ts';

/** What running a replay needs beside the replay itself. */
export interface RunOptions {
  readonly plan: ReplayPlan;
  readonly flags: Pick<ReplayFlags, 'rate' | 'concurrency' | 'json'>;
}

/** The command that goes on where this one stopped. */
export function resumeHint(id: string, { rate, concurrency }: RunOptions['flags']): string {
  const pace = [
    ...(rate === undefined ? [] : [` --rate ${String(rate)}`]),
    ...(concurrency === undefined ? [] : [` --concurrency ${String(concurrency)}`]),
  ];
  return `Go on with: portaria replay --resume ${id}${pace.join('')}`;
}
