import { settings } from '../../config/settings.ts';

/**
 * What to add to a complaint of an unknown flag that is named as a setting is,
 * such as `--port`; empty for all others.
 */
export function settingHint(complaint: string): string {
  const flag = /unknown option '--([a-z-]+)/.exec(complaint)?.[1];
  if (flag === undefined) return '';
  const setting = `PORTARIA_${flag.toUpperCase().replaceAll('-', '_')}`;
  if (!Object.hasOwn(settings, setting)) return '';
  return `Settings are environment variables: ${setting}=<value> portaria serve\n`;
}
