/** Tries whether entries of the quarantine would match the contract now. */
import type { Plans, ProblemGroup } from '../../store/plans.ts';
import { releaseEntries, type ReleaseDeps } from './release-quarantine.ts';

/** Entries of a problem that are tried: the newest. */
const MAX_TRIED = 5;
/** Problems whose entries are tried: those that arrived last. A page must not wait for hundreds of bodies. */
const MAX_PROBLEMS = 20;

/** A problem of the quarantine, and what the current contract makes of its newest entries. */
export interface TrialOfProblem {
  readonly group: ProblemGroup;
  readonly tried: number;
  readonly passing: number;
}

/** Lists the problems of quarantined entries, and tries some entries of the last ones again. Nothing changes. */
export async function tryProblems(
  deps: Omit<ReleaseDeps, 'store'> & { readonly store: ReleaseDeps['store'] & Pick<Plans, 'problemGroups'> },
): Promise<readonly TrialOfProblem[]> {
  const groups = await deps.store.problemGroups();
  const tried: TrialOfProblem[] = [];
  for (const [index, group] of groups.entries()) {
    if (index >= MAX_PROBLEMS) {
      tried.push({ group, tried: 0, passing: 0 });
      continue;
    }
    const entries = await deps.store.quarantined(
      { problem: group.problem, status: 'held' },
      { order: 'newest', limit: MAX_TRIED },
    );
    const results = await releaseEntries(deps, entries, { dryRun: true, includeOvertaken: true });
    const passing = results.filter(({ outcome }) => outcome === 'would-release').length;
    tried.push({ group, tried: results.length, passing });
  }
  return tried;
}
