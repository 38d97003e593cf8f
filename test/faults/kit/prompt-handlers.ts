import { recording, type Workspace } from '../../support/workspace.ts';

/** Writes handlers that only record: `prompt <code>` for a charge, `watched <instant>` for an event of a login. */
export function writePromptHandlers(workspace: Workspace): void {
  workspace.writeHandler(
    'prompt.ts',
    `${recording(workspace)}
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

/** The number of lines that one of the two handlers has recorded. */
export function recordedBy(workspace: Workspace, name: 'prompt' | 'watched'): number {
  return workspace.recorded().filter((line) => line.startsWith(name)).length;
}
