import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliEnvironment, violation } from './cli-environment.ts';

/** The source of a handler that appends each call to `calls.txt` beside the database: `<handler> <subject id> <status> <replay?>`. */
export const recorder = (name: string, options = '') => `
  import { appendFileSync } from 'node:fs';
  export default defineHandler({ name: '${name}', on: '*', ${options}
    handle(event, ctx) {
      const file = new URL('../calls.txt', import.meta.url);
      appendFileSync(file, ['${name}', event.subject.id, event.data.status, ctx.replay ? 'again' : 'first'].join(' ') + '\\n');
      if (event.data.status === 'doomed') throw new Error('always fails');
    },
  });`;

/** One attempt per delivery. */
export const once = 'retry: { attempts: 1, baseMs: 1, maxMs: 1 },';

/** Given two violations with two handled events each; the handler failed for the last event. */
export async function cliWithHandledEvents(
  handlers: Record<string, string> = { log: recorder('log', once) },
) {
  const cli = cliEnvironment(handlers);
  await cli.seed([violation(1, 'a'), violation(2, 'a'), violation(1, 'b'), violation(2, 'doomed')]);
  await cli.dispatch();
  const calls = () => readFileSync(join(cli.folder, 'calls.txt'), 'utf8').trimEnd().split('\n');
  return { ...cli, calls, again: () => calls().filter((call) => call.endsWith('again')) };
}
