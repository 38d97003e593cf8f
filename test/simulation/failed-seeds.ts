/** Stories that once broke a promise: `npm run simulate -- --failed` tells them first. */

export interface FailedSeed {
  readonly seed: number;
  readonly steps: number;
  /** What it showed: a fault of the sources, or of the model. */
  readonly showed: string;
}

/** When a seed draws other steps than before, its story is another one: it stays, as one more story. */
export const failedSeeds: readonly FailedSeed[] = [
  {
    seed: 100_038,
    steps: 300,
    showed: 'sources: of a plan from after the clock was set back, the job left dead letters alone',
  },
  {
    seed: 92,
    steps: 400,
    showed: 'model: a process that died during a hold was looked at before it took stock',
  },
  { seed: 200_039, steps: 300, showed: 'sources: the same' },
  {
    seed: 200_106,
    steps: 300,
    showed: 'model: a run that was abandoned and then discarded changed the delivery when it ended',
  },
  {
    seed: 200_159,
    steps: 300,
    showed: 'model: retention discarded a dead letter whose abandoned run went on, by when the run ended',
  },
];
