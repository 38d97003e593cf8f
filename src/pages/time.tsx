/** Shows an instant. */
import type { FC } from 'hono/jsx';
import { useBasePage } from './base-page.ts';

interface TimeProps {
  /** ISO 8601 in UTC; null shows a dash. */
  readonly iso: string | null;
  /** `relative`: "3 min ago", with the instant on hover. The others the other way round; `exact`: with milliseconds. */
  readonly as?: 'instant' | 'exact' | 'relative';
}

/** An instant. The script of the console rewrites it into the time zone of the browser. */
export const Time: FC<TimeProps> = ({ iso, as = 'instant' }) => {
  const { format, now } = useBasePage();
  if (iso === null) return <span class="soft">–</span>;
  const instant = as === 'exact' ? format.exactInstant(iso) : format.instant(iso);
  const relative = format.relative(iso, now);
  return (
    <time
      datetime={iso}
      title={as === 'relative' ? `${instant} · ${iso}` : `${relative} · ${iso}`}
      data-as={as}
    >
      {as === 'relative' ? relative : instant}
    </time>
  );
};
