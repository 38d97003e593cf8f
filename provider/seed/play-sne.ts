import type { Change } from '../change.ts';
import { changeCompany } from '../companies/change-company.ts';
import type { LoginOwner } from '../login/login-owner.ts';
import { settleSne } from '../sne/settle-sne.ts';
import { cancelSne, signUpForSne } from '../sne/request-sne.ts';
import { DAY, MINUTE, SECOND, type At } from './seeding.ts';

/** Where a registration with the SNE stands, in turn; `unknown` where none was asked for. */
const fates = [
  'active',
  'pending',
  'active',
  'inactive',
  'canceling',
  'active',
  'unavailable',
  'canceled',
  'active',
  'unknown',
] as const;
export type SneFate = (typeof fates)[number];

export function sneFate(number: number): SneFate {
  return fates[number % fates.length] ?? 'unknown';
}

/**
 * The registration of somebody who has signed in to the portal before.
 *
 * @param since the earliest moment for it. @param now the moment that it has come to.
 */
export async function playSne(
  at: At,
  owner: LoginOwner,
  fate: SneFate,
  { since, now }: { readonly since: number; readonly now: number },
): Promise<void> {
  if (fate === 'unknown') return;
  const asked = fate === 'pending' ? now - 5 * SECOND : since;
  await request(at, owner, asked, signUpForSne);
  if (fate === 'pending') return;
  const isActive = fate === 'active' || fate === 'canceling' || fate === 'canceled';
  await settleSne(at(asked + MINUTE), owner.kind, owner.id, isActive ? 'active' : fate);
  if (fate !== 'canceling' && fate !== 'canceled') return;
  const ended = fate === 'canceling' ? now - 5 * SECOND : Math.min(now - DAY / 4, since + 20 * DAY);
  await request(at, owner, ended, cancelSne);
  if (fate === 'canceled') await settleSne(at(ended + MINUTE), owner.kind, owner.id, 'inactive');
}

async function request(
  at: At,
  { kind, id }: LoginOwner,
  moment: number,
  ask: (change: Change, kind: LoginOwner['kind'], id: number) => Promise<unknown>,
): Promise<void> {
  await ask(at(moment), kind, id);
  if (kind === 'company') await changeCompany(at(moment), id, {}, 'company.sne.updated');
}
