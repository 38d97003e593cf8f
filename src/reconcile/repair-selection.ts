/** Selects what a repair can bring to the provider's state. */
import { toldByDefault } from '../operate/change/told-by-default.ts';
import type { Family } from '../contract/family.ts';
import type { Registry } from '../handle/load/registry.ts';
import type { RepairSelection } from '../store/jobs.ts';
import type { Queries } from '../store/queries.ts';
import { kindsOf } from './record-lists.ts';

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
    differences.flatMap(({ subject, outcome }) =>
      repairKind(family, outcome) === undefined ? [] : [subject],
    ),
  );
  const subjects = all.slice(0, MAX_SUBJECTS);
  const told = handlers ?? (await toldByDefault(store, source));
  return { repair: { source, subjects, handlers: told }, left: all.length - subjects.length };
}

const endings: Readonly<Record<string, string>> = {
  missed: 'created',
  behind: 'updated',
  removed: 'deleted',
};

/** The kind of the event that a repair stores; undefined where the contract has none. */
export function repairKind(family: string, outcome: string): string | undefined {
  const ending = endings[outcome];
  return ending === undefined
    ? undefined
    : kindsOf(family as Family).find((kind) => kind.endsWith(`.${ending}`));
}

/** The names of the handlers that take the event of a repair. */
export function handlersOfRepair(
  registry: Pick<Registry, 'routesFor'>,
  { family, source, outcome }: { readonly family: string; readonly source: string; readonly outcome: string },
): readonly string[] {
  const kind = repairKind(family, outcome);
  if (kind === undefined) return [];
  return registry.routesFor({ kind, recognized: true }, source).map(({ handler }) => handler);
}
