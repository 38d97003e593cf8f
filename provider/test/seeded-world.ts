import { seedOrganization, type SeedOptions } from '../seed/seed-organization.ts';
import { openTestProvider } from './test-provider.ts';

const few = { companies: 20, violations: 1_800, seed: 7, emitsWebhooks: false, more: false };

/** A provider with an organization that is filled; the other one is empty. */
export async function openSeededWorld(options: Partial<SeedOptions> = {}) {
  const world = await openTestProvider();
  const seed = (more: Partial<SeedOptions> = {}) =>
    seedOrganization(world.provider, world.ours.organization, { ...few, ...options, ...more });
  return { ...world, seed, result: await seed() };
}
