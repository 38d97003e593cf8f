/** What a plan or a job selects, in words. */
import type { FC } from 'hono/jsx';
import { Empty } from '../../pages/list.tsx';
import { Time } from '../../pages/time.tsx';
import type { PlanView } from '../../view/plan-view.ts';
import { wordOf } from '../language/audit-actions.ts';
import { usePage } from '../page.ts';

interface SelectionProps {
  readonly conditions: Readonly<Record<string, string>>;
}

/** The conditions as one line. */
export const Selection: FC<SelectionProps> = ({ conditions }) => {
  const { jobs: words, audit, columns, delivery } = usePage().words;
  const given = Object.entries(conditions);
  const lastTime = 'until' in conditions ? 'until' : 'since';
  return (
    <span class="mono">
      {given.length === 0 && words.all}
      {given.map(([name, value], at) => {
        const [, chosen] = /^(\d+) chosen$/u.exec(value) ?? [];
        return (
          <>
            {at > 0 && ', '}
            {wordOf({ ...columns, ...audit.names }, name).toLowerCase()}{' '}
            {name === 'since' || name === 'until' ? (
              <Time iso={value} />
            ) : chosen === undefined ? (
              wordOf({ ...delivery, ...audit.values }, value)
            ) : (
              words.chosen(chosen)
            )}
            {name === lastTime && <Zone />}
          </>
        );
      })}
    </span>
  );
};

/** The zone of the times before it. */
const Zone: FC = () => (
  <>
    {' '}
    (<span data-zone="name">{usePage().format.zone}</span>)
  </>
);

/** What a selection of a time and handlers alone may name. */
const WINDOW: ReadonlySet<string> = new Set(['since', 'until', 'handlers', 'if_not_succeeded']);

/** That a plan has no item; of a replay of a window in which nothing arrived, that window. */
export const NothingPlanned: FC<SelectionProps & { readonly plan: PlanView }> = ({ conditions, plan }) => {
  const words = usePage().words.plans;
  const { since, until = plan.made_at, handlers } = conditions;
  const { replay } = plan;
  const isWindow = since !== undefined && Object.keys(conditions).every((name) => WINDOW.has(name));
  const hasArrived = plan.handlers.some((each) => (each.already_succeeded ?? 0) + (each.stale ?? 0) > 0);
  if (!isWindow || hasArrived || replay === null || replay.pruned + replay.unrecognized > 0)
    return <Empty>{words.nothing}</Empty>;
  const [arrived, and, of] = words.nothingArrived;
  return (
    <Empty>
      {arrived} <Time iso={since} /> {and} <Time iso={until} />
      <Zone /> {of} {handlers}.
    </Empty>
  );
};
