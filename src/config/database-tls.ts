/** TLS to a database: what its address and the environment ask for, and what is wrong with it. */
import { suggest } from '../kernel/text/suggest.ts';

/** The modes of TLS that the client knows. */
const TLS_MODES = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;

/** Returns what is wrong with a mode of TLS; the client would not encrypt. */
export function tlsModeProblem(mode: string): string | undefined {
  if ((TLS_MODES as readonly string[]).includes(mode)) return undefined;
  const closest = suggest(mode, TLS_MODES);
  const meant = closest === undefined ? '' : `; did you mean ${closest}?`;
  return `must have a TLS mode (sslmode) of ${TLS_MODES.join(', ')}${meant}`;
}
