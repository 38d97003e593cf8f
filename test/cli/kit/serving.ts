import { onTestFinished } from 'vitest';
import type { Environment } from '../../../src/config/read-settings.ts';
import { cliEnvironment } from './cli-environment.ts';

/** A Standard Webhooks secret. */
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A running `serve` in this process, on free ports. */
export async function serving(
  env: Environment = {},
  {
    flags = [],
    handlers = {},
    ...options
  }: { interactive?: boolean; flags?: readonly string[]; handlers?: Record<string, string> } = {},
) {
  const cli = cliEnvironment(handlers);
  cli.clock.wall = Date.now();
  const { terminal, ended } = cli.begin(['serve', ...flags], { env, ...options });
  onTestFinished(() => {
    terminal.interrupt();
  });
  await Promise.race([
    terminal.printed('operators'),
    ended.then(({ err }) => Promise.reject(new Error(err))),
  ]);
  const url = /http:\/\/127\.0\.0\.1:\d+\/webhooks/.exec(terminal.written.out)?.[0] ?? '';
  return { ...cli, terminal, ended, url };
}

/** Parses a curl command with the quoting rules of a shell. */
export function readCurl(text: string): { url: string; headers: Record<string, string>; body: string } {
  const line = /^ +curl (.*)$/m.exec(text)?.[1] ?? '';
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    (word) => word[1] ?? word[2] ?? word[3] ?? '',
  );
  const after = (flag: string) => words.flatMap((word, at) => (word === flag ? [words[at + 1] ?? ''] : []));
  const headers = after('-H').map((header) => header.split(': ') as [string, string]);
  return {
    url: words.find((word) => word.startsWith('http')) ?? '',
    headers: Object.fromEntries(headers),
    body: after('-d')[0] ?? '',
  };
}
