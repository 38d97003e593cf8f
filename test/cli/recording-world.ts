import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliWorld, violation } from './cli-world.ts';

/** Writes each call to `calls.txt` beside the database: `<handler> <subject id> <status> <replay?>`. */
export const recorder = (name: string, options = '') => `
  import { appendFileSync } from 'node:fs';
  export default defineHandler({ name: '${name}', on: '*', ${options}
    handle(event, ctx) {
      const file = new URL('../calls.txt', import.meta.url);
      appendFileSync(file, ['${name}', event.subject.id, event.data.status, ctx.replay ? 'again' : 'first'].join(' ') + '\\n');
      if (event.data.status === 'doomed') throw new Error('as ever');
    },
  });`;

/** One try each. */
export const once = 'retry: { attempts: 1, baseMs: 1, maxMs: 1 },';

/** Two violations with two events each, handled; the last one's handler fails. */
export async function handledWorld(handlers: Record<string, string> = { log: recorder('log', once) }) {
  const world = cliWorld(handlers);
  await world.seed([violation(1, 'a'), violation(2, 'a'), violation(1, 'b'), violation(2, 'doomed')]);
  await world.dispatch();
  const calls = () => readFileSync(join(world.folder, 'calls.txt'), 'utf8').trimEnd().split('\n');
  return { ...world, calls, again: () => calls().filter((call) => call.endsWith('again')) };
}
