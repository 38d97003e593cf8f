import { seedOrganization, type SeedOptions } from '../../seed/seed-organization.ts';
import { openTestProvider } from './test-provider.ts';

const defaults = { companies: 20, violations: 1_800, seed: 7, emitsWebhooks: false, more: false };

/** Opens a provider with one seeded organization. The other organization is empty. */
export async function openSeeded(options: Partial<SeedOptions> = {}) {
  const setup = await openTestProvider();
  const seed = (overrides: Partial<SeedOptions> = {}) =>
    seedOrganization(setup.provider, setup.ours.organization, { ...defaults, ...options, ...overrides });
  return { ...setup, seed, result: await seed() };
}
