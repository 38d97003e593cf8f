/** Shows texts that the rest of Portaria, or somebody else, wrote in English. */
import type { FC } from 'hono/jsx';
import type { PortariaError } from '../../kernel/errors.ts';
import { descriptions } from '../language/descriptions.ts';
import { schemaMessage } from '../language/schema-messages.ts';
import { usePage } from '../page.ts';

/** A message of a schema, a parser or a database: a page in another language translates it, or else quotes it. */
export const Quoted: FC<{ readonly text: string }> = ({ text }) => {
  if (usePage().language === 'en') return <>{text}</>;
  const translation = schemaMessage(text);
  return translation === undefined ? <q lang="en">{text}</q> : <>{translation}</>;
};

/** What is wrong with a request. */
export type Wrong = Pick<PortariaError, 'message'> & Partial<Pick<PortariaError, 'refusal'>>;

/** What is wrong with a request, in the language of the page where it has words for it. */
export const Refused: FC<{ readonly wrong: Wrong }> = ({ wrong: { message, refusal } }) => {
  const { words } = usePage();
  return refusal === undefined ? <Quoted text={message} /> : <>{words.refused(refusal)}</>;
};

/** A description of a kind or a field. One of an operator's own kinds is as it was written. */
export const Described: FC<{ readonly text: string }> = ({ text }) => {
  const known = descriptions[text];
  if (usePage().language === 'en') return <>{text}</>;
  return known === undefined ? <span lang="en">{text}</span> : <>{known}</>;
};
