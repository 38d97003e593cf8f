import type { FC } from 'hono/jsx';
import { tell } from '../language/told/tell.ts';
import { usePage } from '../page.ts';

/** What another part of Portaria says, in the language of the page. A text without a translation is marked as English. */
export const Told: FC<{ readonly text: string }> = ({ text }) => {
  const told = tell(usePage().language, text);
  return told === null ? <span lang="en">{text}</span> : <>{told}</>;
};
