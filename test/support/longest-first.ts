import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Tests of faults that take long, the longest first: begun last, one of them
 * would keep the others' processors waiting. On a machine that ran them before,
 * vitest knows by itself; on a clean clone it goes by the size of the files.
 */
const LONGEST = [
  'kill-9',
  'deaf-senders',
  'power-loss',
  'sigterm',
  'many-subjects',
  'clock-jumps',
  'restarts',
  'replay-cut-short',
  'deadly-handlers',
  'fsync-error',
  'hostile/targets',
  'hostile/json',
  'hostile/texts',
  'disk-full',
  'command-line-beside',
  'hostile-handlers',
];

/** Vitest's own order, but for those. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => groupOf(one) - groupOf(other) || placeOf(one) - placeOf(other));
  }
}

const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;

function placeOf({ moduleId }: TestSpecification): number {
  const place = LONGEST.findIndex((name) => moduleId.endsWith(`/test/faults/${name}.test.ts`));
  return place === -1 ? LONGEST.length : place;
}
