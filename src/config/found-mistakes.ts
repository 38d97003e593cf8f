/** Collects what is wrong with several settings, so that all of it is told at once. */
import type { Problem } from '../kernel/errors.ts';
import type { ReadSettings } from './read-settings.ts';
import type { SecretCheck } from './secret-strength.ts';
import type { SettingName } from './settings.ts';

/** Collects problems, which prevent the start, and warnings, which do not. */
export interface Found {
  readonly problems: Problem[];
  readonly warnings: string[];
}

/** Adds what is wrong with a secret, under the variable that has it. */
export function reportSecret(
  name: SettingName,
  { problem, warning }: SecretCheck,
  { origin }: ReadSettings,
  { problems, warnings }: Found,
): void {
  if (problem !== undefined) problems.push({ where: origin(name), message: problem });
  if (warning !== undefined) warnings.push(`${origin(name)} ${warning}`);
}
