import type { Plans, ProblemGroup } from '../store/plans.ts';
import { releaseEntries, type ReleaseDeps } from './release-quarantine.ts';

/** Entries of a problem that are tried: the newest. */
const MAX_TRIED = 5;

/** A problem of the quarantine, and what the contract as it stands now makes of its newest entries. */
export interface TriedProblems {
  readonly group: ProblemGroup;
  readonly tried: number;
  readonly passing: number;
}

/** Lists the problems of held entries, and tries some entries of each again. Nothing changes. */
export async function tryProblems(
  deps: Omit<ReleaseDeps, 'store'> & { readonly store: ReleaseDeps['store'] & Pick<Plans, 'problemGroups'> },
): Promise<readonly TriedProblems[]> {
  const groups = await deps.store.problemGroups();
  const tried: TriedProblems[] = [];
  for (const group of groups) {
    const entries = await deps.store.quarantined(
      { problem: group.problem, status: 'held' },
      { order: 'newest', limit: MAX_TRIED },
    );
    const results = await releaseEntries(deps, entries, { dryRun: true, force: false, named: false });
    const passing = results.filter(({ outcome }) => outcome === 'would-release').length;
    tried.push({ group, tried: results.length, passing });
  }
  return tried;
}
