/** Selects what a repair can bring to the provider's state. */
import { toldByDefault } from '../operate/change/told-by-default.ts';
import type { RepairSelection } from '../store/jobs.ts';
import type { Queries } from '../store/queries.ts';

/** Subjects of one repair. */
const MAX_SUBJECTS = 10_000;

/**
 * Selects the subjects that were missed, are behind, or are console users that were removed: no other family has an
 * event of a removal.
 *
 * @returns the selection of a plan (`jobs/make-plan.ts`), and how many subjects are more than one repair takes
 */
export async function repairSelection(
  store: Pick<Queries, 'events'>,
  looks: readonly {
    readonly family: string;
    readonly differences: readonly { readonly subject: string; readonly outcome: string }[];
  }[],
  { source, handlers }: { readonly source: string; readonly handlers?: RepairSelection['handlers'] },
): Promise<{ readonly repair: RepairSelection; readonly left: number }> {
  const all = looks.flatMap(({ family, differences }) =>
    differences.flatMap(({ subject, outcome }) => (isRepairable(family, outcome) ? [subject] : [])),
  );
  const subjects = all.slice(0, MAX_SUBJECTS);
  const told = handlers ?? (await toldByDefault(store, source));
  return { repair: { source, subjects, handlers: told }, left: all.length - subjects.length };
}

export function isRepairable(family: string, outcome: string): boolean {
  return ['missed', 'behind', ...(family === 'console-user' ? ['removed'] : [])].includes(outcome);
}
