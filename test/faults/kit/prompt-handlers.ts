import { recording, type Workshop } from '../../support/workshop.ts';

/** Handlers that do nothing but record: `prompt <code>` a charge, `watched <instant>` an event of a login. */
export function writePromptHandlers(place: Workshop): void {
  place.writeHandler(
    'prompt.ts',
    `${recording(place)}
export const prompt = defineHandler({
  name: 'prompt',
  on: 'charge.updated',
  handle: ({ data }) => record('prompt ' + data.code),
});

export const watched = defineHandler({
  name: 'watched',
  on: 'company.login.*',
  handle: ({ data }) => record('watched ' + data.occurred_at),
});

export { default as attempts } from 'portaria/handlers/login-attempt';
`,
  );
}

/** How often each of the two has recorded. */
export function recordedBy(place: Workshop, name: 'prompt' | 'watched'): number {
  return place.recorded().filter((line) => line.startsWith(name)).length;
}
