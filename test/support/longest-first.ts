import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest tests of faults, slowest first. One that starts last would run alone at the end. Vitest
 * knows their durations only on a machine that has run them before.
 */
const SLOWEST = [
  'kill-9',
  'non-reading-senders',
  'power-loss',
  'sigterm',
  'many-subjects',
  'clock-jumps',
  'restarts',
  'interrupted-replays',
  'deadly-handlers',
  'fsync-error',
  'hostile/targets',
  'hostile/json',
  'hostile/texts',
  'disk-full',
  'command-line-beside',
  'hostile-handlers',
];

/** A sequencer that starts the slowest tests of faults first, and keeps Vitest's order for the others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => groupOf(one) - groupOf(other) || rankOf(one) - rankOf(other));
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOWEST.findIndex((name) => moduleId.endsWith(`/test/faults/${name}.test.ts`));
  return rank === -1 ? SLOWEST.length : rank;
}
