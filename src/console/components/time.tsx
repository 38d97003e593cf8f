import type { FC } from 'hono/jsx';
import { usePage } from '../page.ts';

interface TimeProps {
  /** ISO 8601 in UTC; null shows a dash. */
  readonly iso: string | null;
  /** `relative`: "3 min ago", with the instant on hover. `instant`: the other way round. */
  readonly as?: 'instant' | 'relative';
}

/** An instant. The script of the console rewrites it into the time zone of the browser. */
export const Time: FC<TimeProps> = ({ iso, as = 'instant' }) => {
  const { format, now } = usePage();
  if (iso === null) return <span class="soft">–</span>;
  const instant = format.instant(iso);
  const relative = format.relative(iso, now);
  return (
    <time
      datetime={iso}
      title={as === 'instant' ? `${relative} · ${iso}` : `${instant} · ${iso}`}
      data-as={as}
    >
      {as === 'instant' ? instant : relative}
    </time>
  );
};
