/** `portaria dev`: serves the handlers of a folder, and starts again when a file of it changes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { PortariaError } from '../../../kernel/errors.ts';
import { listeningUrl } from '../../http/webhook-url.ts';
import type { Session } from '../../session.ts';
import { createTypeCheck } from './check-types.ts';
import { listenToKeys } from './keys.ts';
import { watchCode } from './watch-code.ts';

const HOST = '127.0.0.1';

export function addDev(program: Command, session: Session): void {
  program
    .command('dev')
    .description('serve the handlers of a folder while you write them: each change starts them again')
    .argument('[folder]', 'the folder of handlers (default: PORTARIA_HANDLERS, else ./handlers)')
    .addHelpText('after', epilogue)
    .action(async (given: string | undefined, _: unknown, command: Command) => {
      const { cwd, env } = session.terminal;
      const folder = resolve(cwd, (given ?? env['PORTARIA_HANDLERS']?.trim()) || 'handlers');
      if (!existsSync(folder))
        throw new PortariaError('not-found', `There is no folder ${folder}: \`portaria init\` writes one`);
      const own = join(dirname(folder), '.portaria-dev.db');
      await developFolder(
        session,
        folder,
        command.optsWithGlobals<{ readonly database?: string }>().database ?? own,
      );
    });
}

const epilogue = `
The database is .portaria-dev.db beside the folder, unless --database names another. Only this machine reaches
the ports: free ones, unless PORTARIA_PORT and PORTARIA_OPS_PORT are set. Other settings are those of \`serve\`.

A change of a source or JSON file ends what runs, after its running deliveries, and starts the new code. In a
project with tsconfig.json and typescript in its node_modules, errors of types are printed, too.
`;

/** Serves the folder until a signal or a key ends it. */
async function developFolder(session: Session, folder: string, database: string): Promise<void> {
  const { terminal } = session;
  const [port, opsPort] = await choosePorts(terminal.env['PORTARIA_PORT'], terminal.env['PORTARIA_OPS_PORT']);
  const env = {
    ...terminal.env,
    PORTARIA_HANDLERS: folder,
    PORTARIA_HOST: HOST,
    PORTARIA_PORT: String(port),
    PORTARIA_OPS_HOST: HOST,
    PORTARIA_OPS_PORT: String(opsPort),
    PORTARIA_LOG_FORMAT: 'pretty',
    // The folder may hold the backups of another database.
    PORTARIA_BACKUP_DIR: '',
  };
  const words = [...process.execArgv, process.argv[1] ?? '', '--database', database];
  const webhooks = listeningUrl({ host: HOST, port });
  const consoleUrl = new URL('/', listeningUrl({ host: HOST, port: opsPort })).href;
  const types = createTypeCheck(folder, session);

  await new Promise<void>((resolveEnded) => {
    let child: ChildProcess | undefined;
    /** What the end of the child is for; null when it ends by itself. */
    let purpose: 'restart' | 'end' | null = null;
    const start = (): void => {
      purpose = null;
      const args = [...words, 'serve', '--stop-with-parent', '--brief'];
      child = spawn(process.execPath, args, {
        env,
        cwd: terminal.cwd,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      child.once('exit', () => {
        child = undefined;
        if (purpose === 'end') end();
        else if (purpose === 'restart') start();
        else void session.note(`Nothing answers at ${webhooks} until a file of the folder changes.`);
      });
      types.run();
    };
    const code = watchCode(folder, terminal.clock, (paths) => {
      void session.note(`\nChanged: ${paths.map((path) => relative(folder, path) || folder).join(', ')}`);
      if (child === undefined) start();
      // A second signal would not let its deliveries end.
      else if (purpose === null) {
        purpose = 'restart';
        child.kill('SIGTERM');
      }
    });
    const stop = (): void => {
      purpose = 'end';
      if (child === undefined) end();
      else child.kill('SIGTERM');
    };
    const releaseSignals = terminal.onInterrupt(stop);
    const end = (): void => {
      code.close();
      types.end();
      releaseSignals();
      resolveEnded();
    };
    const hasKeys = listenToKeys({
      session,
      words,
      env,
      consoleUrl,
      newestFile: code.newest,
      isServing: () => child !== undefined,
      stop,
    });
    void session.note(
      [
        `Each change of a file in ${folder} starts its handlers again.`,
        '',
        `  webhooks  ${webhooks}`,
        `  console   ${consoleUrl}`,
        `  data      ${database}`,
        ...(hasKeys
          ? [
              '  keys      s sends a sample (again: of the next kind), r replays the newest event, o opens the console, q ends',
            ]
          : []),
        '',
      ].join('\n'),
    );
    start();
  });
}

/** Returns the ports that are given, and free ones for others, so that each start has the same. */
async function choosePorts(...given: readonly (string | undefined)[]): Promise<readonly [number, number]> {
  const servers = given.map(() => createServer().listen(0, HOST));
  const ports = await Promise.all(
    servers.map(async (server, at) => {
      await once(server, 'listening');
      return Number(given[at]) || (server.address() as AddressInfo).port;
    }),
  );
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return [ports[0] ?? 0, ports[1] ?? 0];
}
