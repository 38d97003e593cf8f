import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Makes `dist/` what the sources say; nothing to do after `npm test`, which has. */
export default function build(): void {
  const bootstrap = fileURLToPath(new URL('../../scripts/bootstrap.mjs', import.meta.url));
  execFileSync(process.execPath, [bootstrap], { stdio: ['ignore', 'ignore', 'inherit'] });
}
