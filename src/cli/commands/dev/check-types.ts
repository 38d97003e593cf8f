/** Checks the types of a project beside its running handlers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import type { Session } from '../../session.ts';

export interface TypeCheck {
  /** Ends the check that runs, and prints the errors of types as they are now. */
  run(): void;
  end(): void;
}

/** Creates what checks types, if the folder is in a project with a tsconfig.json and typescript. */
export function createTypeCheck(folder: string, session: Session): TypeCheck {
  const project = projectOf(folder);
  let running: ChildProcess | undefined;
  let hadErrors = false;
  const run = (): void => {
    running?.kill();
    if (project === undefined) return;
    const args = [compilerOf(project), '--noEmit', '--project', project];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    running = child;
    // The handlers start first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.once('exit', (code) => {
      if (child !== running) return;
      running = undefined;
      if (code === 0 && hadErrors) void session.note('The types have no errors any more.');
      hadErrors = code !== 0;
    });
  };
  return { run, end: () => void running?.kill() };
}

function projectOf(folder: string): string | undefined {
  for (let project = folder; project !== dirname(project); project = dirname(project))
    if (existsSync(join(project, 'tsconfig.json')) && existsSync(compilerOf(project))) return project;
  return undefined;
}

/** The compiler's script: Windows cannot run `.bin/tsc`. */
function compilerOf(project: string): string {
  return join(project, 'node_modules', 'typescript', 'bin', 'tsc');
}
