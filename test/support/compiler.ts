import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Compiler options by which a file sees the types of the build, as those of the published
 * package. From source, the compiler would check the whole program with it.
 */
export function publishedTypes() {
  const types = (entry: string) => [join(root, 'dist', 'src', entry)];
  return {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
    paths: { portaria: types('index.d.ts'), 'portaria/client': types('client/index.d.ts') },
  };
}

/** Runs the compiler on the project in a folder. Returns what it prints: nothing when all is well. */
export function compiled(folder: string): string {
  const compiler = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '-p', folder], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}
