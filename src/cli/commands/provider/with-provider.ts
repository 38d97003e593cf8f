import type { Service } from '../../../../provider/provider.ts';
import type { Session } from '../../session.ts';
import { write } from '../../terminal/text-output.ts';

/** Opens the service's file for one command, beside a service that may be running on it. */
export async function withService(
  path: string,
  { terminal }: Session,
  use: (service: Service) => Promise<void>,
): Promise<void> {
  const { openService } = await import('../../../../provider/open-provider.ts');
  const service = openService({
    path,
    clock: terminal.clock,
    random: terminal.random,
    onWarning: (warning) => {
      write(terminal.err, `warning: ${warning}\n`);
    },
  });
  try {
    await use(service);
  } finally {
    await service.close();
  }
}
