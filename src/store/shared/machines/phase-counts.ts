/** The bounds of what the overview of a machine counts. */
import { parseJson } from '../../../kernel/json/parse-json.ts';
import type { PhaseCount } from '../../machine-overview.ts';

/** Subjects that are counted of each combination of phases. */
export const MAX_COUNTED_SUBJECTS = 10_000;

/** Combinations of phases of a machine: a state may hold any text where a phase is expected. */
export const MAX_COMBINATIONS = 100;

/** @param found the subjects, of which up to one more than the maximum was counted */
export function countedSubjects(found: number): Pick<PhaseCount, 'subjects' | 'more'> {
  return { subjects: Math.min(found, MAX_COUNTED_SUBJECTS), more: found > MAX_COUNTED_SUBJECTS };
}

/** Returns the phases of a combination, without the parts that the state lacks. */
export function phasesIn(combination: string): readonly string[] {
  const parts = parseJson(combination);
  return Array.isArray(parts) ? parts.filter((part) => typeof part === 'string') : [];
}
