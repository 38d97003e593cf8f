/** Shows a state in colour and in a word. */
import type { FC } from 'hono/jsx';

/** How urgent a state is. Colour shows it, and a word always stands beside the colour. */
export type Tone = 'ok' | 'warn' | 'bad' | 'off';

/** A word with the colour of its state. */
export const State: FC<{ readonly tone: Tone; readonly word: string }> = ({ tone, word }) => (
  <span class={`state ${tone}`}>{word}</span>
);
