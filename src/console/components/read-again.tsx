/** Pages that read their numbers again. */
import { raw } from 'hono/html';
import type { FC } from 'hono/jsx';

/** Seconds after which a page about something that runs reads its numbers again. */
export const READ_AGAIN_S = 2;

/** Reads the page again also without JavaScript. With it, the frame of the page does. */
export const ReadAgain: FC = () =>
  raw(`<noscript><meta http-equiv="refresh" content="${String(READ_AGAIN_S)}"></noscript>`);
