import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Global setup: compiles the sources to `dist/`. Takes no time when `dist/` is up to date. */
export default function build(): void {
  const bootstrap = fileURLToPath(new URL('../../scripts/bootstrap.mjs', import.meta.url));
  execFileSync(process.execPath, [bootstrap], { stdio: ['ignore', 'ignore', 'inherit'] });
}
