/** Stories of several processes: the steps of any story, each at one of the processes, and what happens to processes. */
import { seededRandom } from '../../../src/kernel/random.ts';
import { drawStory, type Step } from '../story.ts';
import type { StatementFault } from './network/faults.ts';

export type ProcessStep =
  /** A statement fails, or its connection or process ends with it. */
  | ({ readonly do: 'fault'; readonly spared: number; readonly times: number } & StatementFault)
  /** The process does nothing for so long: its lease may end meanwhile. */
  | { readonly do: 'stop'; readonly ms: number }
  /** The process reaches the database no more for so long. */
  | { readonly do: 'isolate'; readonly ms: number }
  | { readonly do: 'kill' }
  /** Dead processes are started again. */
  | { readonly do: 'revive' }
  /** The clock of the process's machine is set. */
  | { readonly do: 'clock'; readonly ms: number }
  /** Statements wait on their way, or no more. */
  | { readonly do: 'slow'; readonly is: boolean };

/** At the process of this place. */
export type PostgresStep = (Step | ProcessStep) & { readonly on?: number };

/** Webhooks of a flood: each takes some twenty statements. */
const MAX_FLOOD = 12;

/** Of so many steps one happens to a process. */
const PROCESS_STEP_OF = 12;

export function drawPostgresStory(seed: number, length: number): readonly PostgresStep[] {
  const random = seededRandom(seed + 11);
  const int = (below: number): number => Math.floor(random() * below);
  const pick = <T>(all: readonly T[]): T => all[int(all.length)] as T;
  const fault = (): ProcessStep => ({
    ...{ do: 'fault', fault: pick(['die', 'cut', 'cut', 'fail', 'fail']), after: int(2) === 1 },
    ...{ at: pick(['commit', 'commit', 'any']), code: pick(['40001', '40P01', '57P01', '53100']) },
    ...{ spared: int(8), times: pick([1, 1, 1, 3]) },
  });
  const processSteps: readonly (() => ProcessStep)[] = [
    ...[fault, fault, fault, fault],
    () => ({ do: 'stop', ms: pick([50, 1_000, 7_000, 12_000, 20_000]) }),
    () => ({ do: 'stop', ms: pick([3_000, 9_500, 12_000]) }),
    () => ({ do: 'isolate', ms: pick([500, 5_000, 7_000, 12_000, 20_000]) }),
    () => ({ do: 'kill' }),
    ...Array.from({ length: 3 }, () => (): ProcessStep => ({ do: 'revive' })),
    () => ({ do: 'clock', ms: pick([-3_600_000, -4_000, 0, 700, 30_000]) }),
    () => ({ do: 'slow', is: int(2) === 0 }),
  ];
  return drawStory(seed, length).map((step): PostgresStep => {
    const drawn = int(PROCESS_STEP_OF) === 0 ? pick(processSteps)() : instead(step, fault);
    return { ...drawn, on: int(3) };
  });
}

/** What a process on a file meets, as one on PostgreSQL does. */
function instead(step: Step, fault: () => ProcessStep): Step | ProcessStep {
  if (step.do === 'disk') return fault();
  if (step.do === 'die') return { do: 'kill' };
  // Whose request it is, the target cannot tell.
  if (step.do === 'plan')
    return { ...step, upgrade: false, action: step.action === 'send' ? 'replay' : step.action };
  if (step.do === 'flood') return { ...step, sent: step.sent.slice(0, MAX_FLOOD) };
  return step;
}
