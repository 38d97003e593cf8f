import type { Config } from '../../../config/config.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import type { StoreCheck } from '../../../store/store.ts';
import type { Session } from '../../session.ts';

/** The settings, or null and a line for each mistake. */
export function checkConfig(session: Pick<Session, 'config'>): {
  readonly config: Config | null;
  readonly checks: readonly StoreCheck[];
} {
  const name = 'settings';
  try {
    const config = session.config();
    const schemes = [...config.sources].map(([source, { scheme }]) => `${source}: ${scheme}`).join(', ');
    const warnings = config.warnings.map((detail) => ({ name, ok: true, detail: `note: ${detail}` }));
    return {
      config,
      checks: [
        { name, ok: true, detail: 'all can be read' },
        { name: 'verification', ok: true, detail: schemes },
        ...warnings,
      ],
    };
  } catch (error) {
    if (!PortariaError.is(error, 'misconfigured')) throw error;
    const checks = error.problems.map(({ where, message }) => ({
      name,
      ok: false,
      detail: `${where} ${message}`,
    }));
    return { config: null, checks };
  }
}
