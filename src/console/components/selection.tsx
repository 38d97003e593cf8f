/** What a plan or a job selects, in words. */
import type { FC } from 'hono/jsx';
import { Time } from '../../pages/time.tsx';
import { wordOf } from '../language/audit-actions.ts';
import { usePage } from '../page.ts';

/** The conditions as one line. */
export const Selection: FC<{ readonly conditions: Readonly<Record<string, string>> }> = ({ conditions }) => {
  const { words: all, format } = usePage();
  const { jobs: words, audit, columns, delivery } = all;
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
            {name === lastTime && (
              <>
                {' '}
                (<span data-zone="name">{format.zone}</span>)
              </>
            )}
          </>
        );
      })}
    </span>
  );
};
