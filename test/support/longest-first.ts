import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * The slowest tests, slowest first. One that starts last would run alone at the end. Vitest
 * knows their durations only on a machine that has run them before.
 */
const SLOWEST = [
  'end-to-end/stalled',
  'examples/init',
  'examples/examples',
  'conformance/sqlite-deliveries',
  'conformance/sqlite-events',
  'postgres/conformance-properties',
  'postgres/conformance-deliveries',
  'postgres/conformance-events',
  'faults/night',
  'faults/postgres/two-versions',
  'faults/kill-9',
  'faults/postgres/cut-connections',
  'faults/deadly-handlers',
  'faults/non-reading-senders',
  'faults/many-subjects',
  'faults/postgres/demo-receivers',
  'faults/postgres/several-receivers',
  'faults/demo-day',
  'faults/postgres/pgbouncer',
  'faults/power-loss',
  'faults/postgres/wrong-clock',
  'faults/postgres/stalled-receivers',
  'faults/postgres/killed-copy',
  'faults/hostile/texts',
  'faults/sigterm',
  'faults/postgres/full-server-disk',
  'faults/killed-migration',
  'faults/interrupted-erasures',
  'faults/postgres/killed-postgres-migration',
  'faults/restarts',
  'faults/killed-prune',
  'faults/fsync-error',
  'faults/command-line-beside',
  'faults/disk-full',
  'faults/hostile/handlers',
];

/**
 * A sequencer that starts the slowest tests of each project first, and keeps Vitest's order for the
 * others. A project stays together: a worker serves one only.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    const placeOf = ({ project }: TestSpecification): number => projects.indexOf(project);
    return sorted.toSorted((one, other) => placeOf(one) - placeOf(other) || rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOWEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? SLOWEST.length : rank;
}
