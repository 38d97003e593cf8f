/** Finds what needs an operator at this moment. */
import { createPauseLookup } from '../../store/pauses.ts';
import { handlerAddress } from '../components/event-cells.tsx';
import { deadLetters, halfDone } from './failing-problems.ts';
import { heldProblems, mistyped } from './held-problems.ts';
import { retrying, waiting } from './lane-problems.ts';
import { findNewValues } from './new-values.ts';
import { observedProblem, isObserved } from './observed-problems.ts';
import { pausedProblems } from './paused-problems.ts';
import { problem, cut, type Problem, type Findings } from './problem.ts';

/** Finds what needs an operator, the worst first. */
export async function findProblems(found: Findings): Promise<readonly Problem[]> {
  const findings = { ...found, paused: createPauseLookup(found.pauses) };
  const { page, store, statistics, dispatch, notReady, observed } = findings;
  const { words } = page;
  const groups = await store.failureGroups({});
  const stuck = await retrying(findings, groups);
  const waits = await waiting(findings, stuck);
  const openFor = (name: string): string => {
    const known = statistics.open_breakers.find(({ handler }) => handler === name);
    return known === undefined ? '' : page.format.duration(page.now - Date.parse(known.since));
  };
  return [
    ...(store.healthy() ? [] : [problem('bad', words.problems.storeFails, '/system')]),
    ...notReady.map((reason) => problem('bad', words.overview.notReady[reason], '/system')),
    ...(await deadLetters(findings, groups)),
    ...stuck.map((each) => each.problem),
    ...waits.filter(({ tone }) => tone === 'bad'),
    ...dispatch.open_breakers.map(({ handler, reason }) => ({
      ...problem('bad', words.overview.breakerOpen(handler, openFor(handler)), handlerAddress(handler)),
      error: cut(reason),
    })),
    ...(await pausedProblems(findings, groups)),
    ...halfDone(findings),
    ...(statistics.quarantine_held > 0 ? await heldProblems(findings) : []),
    ...(await findNewValues(findings)),
    ...mistyped(findings),
    ...waits.filter(({ tone }) => tone !== 'bad'),
    ...observed.filter((each) => isObserved(each, statistics)).map((each) => observedProblem(page, each)),
  ];
}
