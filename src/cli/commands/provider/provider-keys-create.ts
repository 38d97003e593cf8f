import type { Command } from 'commander';
import type { Session } from '../../session.ts';
import { providerFile } from './provider-file.ts';
import { withProvider } from './with-provider.ts';

export function addKeysCreate(keys: Command, program: Command, session: Session): void {
  keys
    .command('create')
    .description('make an API key and print it, this once; a new organization is made with it')
    .argument('<organization>', "the organization's name")
    .action((name: string) =>
      withProvider(providerFile(program, session), session, async (provider) => {
        const { createApiKey } = await import('../../../../provider/organizations/api-key.ts');
        const { findOrCreateOrganization } =
          await import('../../../../provider/organizations/organization.ts');
        const { widgetsOf } = await import('../../../../provider/widget/widgets.ts');
        const organization = await findOrCreateOrganization(provider, name);
        await session.print(await createApiKey(provider, organization));
        const widgets = await widgetsOf(provider, organization);
        await session.note(
          `Send it in the header x-api-key. It cannot be shown again. Widget: ${widgets.join(', ')}`,
        );
      }),
    );
}
