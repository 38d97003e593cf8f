import type { ReplayPlan } from '../../../replay/replay-plan.ts';
import type { ReplayFlags } from './replay-flags.ts';

/** What running a replay needs beside the replay itself. */
export interface RunOptions {
  readonly plan: ReplayPlan;
  readonly flags: Pick<ReplayFlags, 'rate' | 'concurrency' | 'json'>;
}

/** The command that goes on where this one stopped. */
export function resumeHint(id: string, flags: RunOptions['flags']): string {
  return `Go on with: portaria replay --resume ${id}${paceText(flags)}`;
}

/** The pace that was asked for, as flags of a further command. */
export function paceText({ rate, concurrency }: RunOptions['flags']): string {
  const pace = [
    ...(rate === undefined ? [] : [` --rate ${String(rate)}`]),
    ...(concurrency === undefined ? [] : [` --concurrency ${String(concurrency)}`]),
  ];
  return pace.join('');
}
