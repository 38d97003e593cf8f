import { seedOrganization, type SeedOptions } from '../seed/seed-organization.ts';
import { openServiceWorld } from './service-world.ts';

const few = { companies: 20, violations: 1_800, seed: 7, isTold: false, more: false };

/** A service with an organization that is filled; the other one is empty. */
export async function openSeededWorld(options: Partial<SeedOptions> = {}) {
  const world = await openServiceWorld();
  const seed = (more: Partial<SeedOptions> = {}) =>
    seedOrganization(world.service, world.ours.organization, { ...few, ...options, ...more });
  return { ...world, seed, result: await seed() };
}
