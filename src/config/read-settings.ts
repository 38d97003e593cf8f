import type { Problem } from '../kernel/errors.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { quotedSetting } from './quoted-setting.ts';
import { readSecretFile } from './secret-file.ts';
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
  /** The variable that a setting comes from: its own, or that of its file. */
  readonly origin: (name: SettingName) => SettingName;
  /** Whether it is set, well or not. */
  readonly isSet: (name: SettingName) => boolean;
}

/**
 * Reads each variable by its own schema. An empty one counts as unset.
 *
 * @param cwd what relative paths of secrets are relative to.
 */
export function readSettings(env: Environment, cwd: string): ReadSettings {
  const values: Partial<Record<SettingName, unknown>> = {};
  const problems: Problem[] = [];
  const isGiven = (name: SettingName) => (env[name] ?? '').trim() !== '';
  const origin = (name: SettingName) => {
    const file = fileSetting(name);
    return file !== undefined && isGiven(file) ? file : name;
  };
  for (const name of settingNames) {
    const setting = settings[name];
    const where = origin(name);
    const text = where === name ? (env[name]?.trim() ?? '') : textOfFile(name, where);
    const given = text === '' ? setting.fallback : text;
    if (given === null) continue;
    const read = setting.schema.safeParse(given);
    if (read.success) values[name] = read.data;
    else {
      const quoted = quotedSetting(name, given);
      const got = quoted === null ? '' : `; got ${quoted}`;
      problems.push({ where, message: `${read.error.issues[0]?.message ?? 'is not valid'}${got}` });
    }
  }
  return {
    values: values as Partial<SettingValues>,
    problems,
    warnings: misspelt(env),
    origin,
    isSet: (name) => isGiven(name) || origin(name) !== name,
  };

  /** As the variable itself would hold it; null, and a problem, where that cannot be. */
  function textOfFile(name: SettingName, file: SettingName): string | null {
    if (isGiven(name)) {
      problems.push({ where: file, message: `and ${name} are both set; unset one of them` });
      return null;
    }
    const { lines, mistake } = readSecretFile(env[file]?.trim() ?? '', cwd);
    if (lines === undefined) {
      problems.push({ where: file, message: mistake });
      return null;
    }
    if (lines.length > 1 && !('isList' in settings[name])) {
      problems.push({ where: file, message: 'names a file of several lines; write one secret into it' });
      return null;
    }
    return lines.join(',');
  }
}

const settingNames = Object.keys(settings) as SettingName[];

/** The setting that names a file to read this one from. */
function fileSetting(name: SettingName): SettingName | undefined {
  const file = `${name}_FILE`;
  return Object.hasOwn(settings, file) ? (file as SettingName) : undefined;
}

function misspelt(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PORTARIA_') && !Object.hasOwn(settings, name))
    .sort()
    .map((name) => {
      const meant = suggest(name, settingNames);
      return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
}
