/** Reads settings from the environment by their schemas. */
import type { Problem } from '../kernel/errors.ts';
import { suggest } from '../kernel/text/suggest.ts';
import { isQuoted, QUOTED } from './secret-strength.ts';
import { readSecretFile } from './text-file.ts';
import { settings, type SettingName, type SettingValue } from './settings.ts';

/** Environment variables by name, like `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export type SettingValues = { readonly [N in SettingName]: SettingValue<N> };

export interface ReadSettings {
  /** The valid ones; `problems` has the others. */
  readonly values: Partial<SettingValues>;
  readonly problems: readonly Problem[];
  /** About variables that begin with PORTARIA_ and are no settings. */
  readonly warnings: readonly string[];
  /** The variable with the value of a setting: its own, or `<name>_FILE`. */
  readonly origin: (name: SettingName) => SettingName;
  /** Whether a setting has a value, valid or not. */
  readonly isSet: (name: SettingName) => boolean;
}

/**
 * Parses each variable by its own schema. An empty variable counts as unset.
 *
 * @param cwd base of relative paths of secret files
 */
export function readSettings(environment: Environment, cwd: string): ReadSettings {
  const links = serviceLinks(environment);
  const env = Object.fromEntries(Object.entries(environment).filter(([name]) => !links.includes(name)));
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
    const value = where === name ? (env[name]?.trim() ?? '') : readFile(name, where);
    const given = value === '' ? setting.fallback : value;
    if (given === null) continue;
    if (typeof given === 'string' && isQuoted(given)) {
      problems.push({ where, message: QUOTED });
      continue;
    }
    const read = setting.schema.safeParse(given);
    if (read.success) values[name] = read.data;
    else {
      // A file has what may not be shown.
      const quoted = typeof given === 'string' && where === name ? quotedSetting(name, given) : null;
      const got = quoted === null ? '' : `; got ${quoted}`;
      problems.push({ where, message: `${read.error.issues[0]?.message ?? 'is not valid'}${got}` });
    }
  }
  return {
    values: values as Partial<SettingValues>,
    problems,
    warnings: [...unknownSettings(env), ...linkWarning(links)],
    origin,
    isSet: (name) => isGiven(name) || origin(name) !== name,
  };

  /** The value, as a list for a setting of several values; null, with a problem, if the file cannot be used. */
  function readFile(name: SettingName, file: SettingName): string | readonly string[] | null {
    if (isGiven(name)) {
      problems.push({ where: file, message: `and ${name} are both set; unset one of them` });
      return null;
    }
    const { lines, mistake } = readSecretFile(env[file]?.trim() ?? '', cwd);
    if (lines === undefined) {
      problems.push({ where: file, message: mistake });
      return null;
    }
    if ('isList' in settings[name]) return lines;
    if (lines.length > 1) {
      problems.push({ where: file, message: 'names a file of several lines; it must contain one line' });
      return null;
    }
    return lines[0] ?? '';
  }
}

const settingNames = Object.keys(settings) as SettingName[];

/** The setting that names a file with the value of this one, if there is one. */
function fileSetting(name: SettingName): SettingName | undefined {
  const file = `${name}_FILE`;
  return Object.hasOwn(settings, file) ? (file as SettingName) : undefined;
}

const SERVICE_LINK = /_SERVICE_(?:HOST|PORT(?:_\w+)?)$|_PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?$/;

/** Variables that Kubernetes sets for Services whose names begin with `portaria`: `PORTARIA_PORT=tcp://10.96.12.34:8080`. */
function serviceLinks(env: Environment): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PORTARIA_'))
    .filter((name) => SERVICE_LINK.test(name) || /_PORT=(?:tcp|udp|sctp):/.test(`${name}=${env[name] ?? ''}`))
    .sort();
}

function linkWarning(links: readonly string[]): readonly string[] {
  if (links.length === 0) return [];
  return [
    `ignored, because Kubernetes sets them for a Service: ${links.join(', ')}; set enableServiceLinks: false in the pod, or give the Service another name`,
  ];
}

function unknownSettings(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PORTARIA_') && !Object.hasOwn(settings, name))
    .sort()
    .map((name) => {
      const meant = suggest(name, settingNames);
      return `${name} is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
    });
}

/** The value of a setting, quoted without credentials for an error message; null if it has a secret. */
function quotedSetting(name: SettingName, value: string): string | null {
  const setting = settings[name];
  if ('secret' in setting || /password/iu.test(value)) return null;
  const isAddress = 'address' in setting || /:\/\/|@/u.test(value);
  return JSON.stringify(isAddress ? withoutCredentials(value) : value);
}

/** Uses patterns, because the address may not parse as a URL. */
function withoutCredentials(address: string): string {
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(address)?.[0] ?? '';
  const rest = address.slice(scheme.length);
  const end = rest.search(/[?#]/);
  const [authority, query] = end === -1 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)];
  // An @ may belong to the query, or to a password with ? or #. Show neither.
  if (query.includes('@')) return `${scheme}…`;
  const userEnd = authority.lastIndexOf('@');
  const shown = userEnd === -1 ? authority : `…${authority.slice(userEnd)}`;
  return `${scheme}${shown}${query === '' ? '' : `${query.charAt(0)}…`}`;
}
