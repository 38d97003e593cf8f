/** Shows a text of another part of Portaria, translated if possible. */
import type { FC } from 'hono/jsx';
import { translate } from '../language/translation/translate.ts';
import { usePage } from '../page.ts';

/** What another part of Portaria says, in the language of the page. A text without a translation is marked as English. */
export const Translated: FC<{ readonly text: string }> = ({ text }) => {
  const translated = translate(usePage().language, text);
  return translated === null ? <span lang="en">{text}</span> : <>{translated}</>;
};
