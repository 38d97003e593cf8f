/** What the keys of `portaria dev` do. */
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { CoverageView } from '../../../view/handler-view.ts';
import type { Environment } from '../../../config/read-settings.ts';
import type { Session } from '../../session.ts';

interface Keys {
  readonly session: Session;
  /** The words that run this program on the database, before a command. */
  readonly words: readonly string[];
  readonly env: Environment;
  readonly consoleUrl: string;
  /** The file of the folder that was written last. */
  readonly newestFile: () => string | undefined;
  /** Whether a process serves: none does while the handlers do not load. */
  readonly isServing: () => boolean;
  readonly stop: () => void;
}

/** Listens to keys, if a person can press them. */
export function listenToKeys({
  session,
  words,
  env,
  consoleUrl,
  newestFile,
  isServing,
  stop,
}: Keys): boolean {
  const { interactive, input, cwd, clock } = session.terminal;
  if (!interactive || !('setRawMode' in input)) return false;

  /** Runs a command of this program, and returns what it prints. */
  const portaria = async (...args: readonly string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [...words, ...args], { env, cwd })).stdout;

  let sent = 0;
  const sendSample = async (): Promise<void> => {
    const kinds = sampleKinds(await portaria('handlers', 'list', '--local', '--json'), newestFile());
    const kind = kinds[sent++ % kinds.length] ?? 'company.created';
    // An id of its own: the same event again would be a duplicate.
    const id = String(Math.trunc(clock.now() / 1000) % 1_000_000_000);
    await session.note(`Sample ${kind}: ${await portaria('send', kind, '--set', `data.id=${id}`)}`);
  };
  const replayNewest = async (): Promise<void> => {
    const [newest = ''] = (await portaria('events', 'list', '--limit', '1', '--json')).split('\n');
    if (newest === '') return session.note('There is no event to replay: s sends one.');
    const { id, kind } = JSON.parse(newest) as { readonly id: string; readonly kind: string };
    await session.note(`Replay of ${kind}, ${id}`);
    await portaria('replay', '--id', id, '--include-overtaken', '--yes');
  };
  const openConsole = async (): Promise<void> => {
    const opener = process.platform === 'darwin' ? 'open' : 'xdg-open';
    // A machine without a browser has none: the address is enough.
    spawn(opener, [consoleUrl], { stdio: 'ignore', detached: true })
      .on('error', () => undefined)
      .unref();
    await session.note(`Console: ${consoleUrl}`);
  };

  const actions: Readonly<Record<string, () => Promise<void>>> = {
    s: sendSample,
    r: replayNewest,
    o: openConsole,
  };
  (input as NodeJS.ReadStream).setRawMode(true).on('data', (bytes: Buffer) => {
    for (const key of bytes.toString()) {
      if (key === 'q' || key === '\u0003') stop();
      if (!isServing() && (key === 's' || key === 'r'))
        void session.note('Not sent: the handlers do not load.');
      else
        actions[key]?.().catch((error: unknown) =>
          session.note(String((error as { stderr?: string }).stderr ?? error)),
        );
    }
  });
  return true;
}

/** The kinds of a handler whose name stands in the file, else of any handler. */
function sampleKinds(coverage: string, file: string | undefined): readonly string[] {
  const rows = coverage.split('\n').filter((line) => line !== '');
  const covered = rows.map((line) => JSON.parse(line) as CoverageView).filter(({ covered: is }) => is);
  const text = file === undefined ? '' : readFileSync(file, 'utf8');
  const isIn = (name: string) => new RegExp(`['"\`]${name}['"\`]`).test(text);
  const chosen = covered.filter(({ handlers }) => handlers.some(isIn));
  return (chosen.length > 0 ? chosen : covered).map(({ kind }) => kind);
}
