import type { Provider } from '../../../../provider/provider.ts';
import type { Session } from '../../session.ts';
import { write } from '../../terminal/text-output.ts';

/** Opens the provider's file for one command, beside a provider that may be running on it. */
export async function withProvider(
  path: string,
  { terminal }: Session,
  use: (provider: Provider) => Promise<void>,
): Promise<void> {
  const { openProvider } = await import('../../../../provider/open-provider.ts');
  const provider = openProvider({
    path,
    clock: terminal.clock,
    random: terminal.random,
    onWarning: (warning) => {
      write(terminal.err, `warning: ${warning}\n`);
    },
  });
  try {
    await use(provider);
  } finally {
    await provider.close();
  }
}
