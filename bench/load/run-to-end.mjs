import { once } from 'node:events';

/**
 * Runs a program to its end and parses its last line as JSON.
 *
 * @param {import('../lifetime/supervisor.mjs').Supervisor} supervisor
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ env?: NodeJS.ProcessEnv }} [options]
 */
export async function runToEnd(supervisor, command, args, options) {
  const child = supervisor.start(command, args, options);
  let out = '';
  let err = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text) => (err += text));
  const [code] = await once(child, 'close');
  const last = out.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !last.startsWith('{')) throw new Error(`${command} failed (${code}): ${err || out}`);
  return JSON.parse(last);
}
