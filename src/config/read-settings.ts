import type { Problem } from '../kernel/errors.ts';
import { suggest } from '../kernel/suggest.ts';
import { settings, type SettingName, type SettingValue } from './settings.ts';

/** Environment variables by name, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingValues = { readonly [N in SettingName]: SettingValue<N> };

export interface ReadSettings {
  /** Those that could be read; the others are in `problems`. */
  readonly values: Partial<SettingValues>;
  readonly problems: readonly Problem[];
  /** About variables that look like settings and are none. */
  readonly warnings: readonly string[];
}

/** Reads each variable by its own schema. An empty one counts as unset. */
export function readSettings(env: Environment): ReadSettings {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems: Problem[] = [];
  for (const name of settingNames) {
    const setting = settings[name];
    const text = env[name]?.trim() || setting.fallback;
    if (text === null) continue;
    const read = setting.schema.safeParse(text);
    if (read.success) values[name] = read.data;
    else {
      const got = 'secret' in setting ? '' : `; got ${JSON.stringify(text)}`;
      problems.push({ where: name, message: `${read.error.issues[0]?.message ?? 'is not valid'}${got}` });
    }
  }
  return { values: values as Partial<SettingValues>, problems, warnings: misspelt(env) };
}

const settingNames = Object.keys(settings) as SettingName[];

function misspelt(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PORTARIA_') && !Object.hasOwn(settings, name))
    .sort()
    .map((name) => {
      const meant = suggest(name, settingNames);
      return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
}
