/** Runs a module of the package in a process of its own, for work that would hold up everything here. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { ownModule } from './files/package-files.ts';

/**
 * @param task what the process is told, over its standard input: personal data never is in a list of processes
 * @param signal kills the process
 */
export async function runApart(
  module: Parameters<typeof ownModule>[0],
  task: object,
  signal?: AbortSignal,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number | null }> {
  const child = spawn(process.execPath, [fileURLToPath(ownModule(module))], {
    signal,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  // A process that ended early reads no further: its exit code says so.
  child.stdin.on('error', () => undefined).end(JSON.stringify(task));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
