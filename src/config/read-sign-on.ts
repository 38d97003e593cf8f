/** Reads the settings of single sign-on. */
import { BlockList, isIP } from 'node:net';
import { everything as roles, type Permission } from '../access/roles.ts';
import type { SignOnSettings } from '../access/sign-on.ts';
import type { Problem } from '../kernel/errors.ts';
import type { ReadSettings } from './read-settings.ts';

/** Everybody whom a proxy names reads, unless the setting says otherwise. */
const DEFAULT_USERS = '*:view';

/** Headers that clients set themselves: they cannot name a person. */
const OTHER_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'host',
  'origin',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);

/** Reads the settings of single sign-on. Returns null when it is off, and every mistake with its remedy. */
export function readSignOn({ values, isSet }: Pick<ReadSettings, 'values' | 'isSet'>): {
  readonly signOn: SignOnSettings | null;
  readonly problems: readonly Problem[];
} {
  const problems: Problem[] = [];
  const add = (where: string, message: string): void => {
    problems.push({ where, message });
  };
  const header = values.PORTARIA_OPS_USER_HEADER;
  const proxies = listOf(values.PORTARIA_OPS_PROXIES ?? '', /[,\n]/u);
  if (header === undefined) {
    for (const name of ['PORTARIA_OPS_PROXIES', 'PORTARIA_OPS_USERS'] as const)
      if (isSet(name) && !isSet('PORTARIA_OPS_USER_HEADER'))
        add(
          name,
          'has no effect without PORTARIA_OPS_USER_HEADER; set it to the header in which the proxy names the person',
        );
    if (values.PORTARIA_OPS_TOKEN_SIGN_IN === false && !isSet('PORTARIA_OPS_USER_HEADER'))
      add(
        'PORTARIA_OPS_TOKEN_SIGN_IN',
        'is false, and nobody could sign in; set PORTARIA_OPS_USER_HEADER and PORTARIA_OPS_PROXIES, or unset this',
      );
    return { signOn: null, problems };
  }
  if (OTHER_HEADERS.has(header))
    add(
      'PORTARIA_OPS_USER_HEADER',
      `${header} has another meaning; name a header of the proxy's own, such as x-forwarded-user`,
    );
  if (proxies.length === 0)
    add(
      'PORTARIA_OPS_PROXIES',
      'is missing: everybody who reaches the port could write the header; name the addresses of the proxies, such as 127.0.0.1 or 10.0.0.0/24',
    );
  for (const proxy of proxies) {
    const problem = networkProblem(proxy);
    if (problem !== null) add('PORTARIA_OPS_PROXIES', `${JSON.stringify(proxy)} ${problem}`);
  }
  const users = readUsers(values.PORTARIA_OPS_USERS ?? DEFAULT_USERS, (message) => {
    add('PORTARIA_OPS_USERS', message);
  });
  return { signOn: { header, proxies, users }, problems };
}

function listOf(text: string, separator: RegExp): readonly string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Returns what is wrong with an address or network; null when it is valid. */
function networkProblem(text: string): string | null {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0)
    return 'is neither an address nor a network; write for example 10.0.0.7, 10.0.0.0/24 or fd00::/8';
  if (prefix === undefined) return null;
  const max = family === 4 ? 32 : 128;
  if (!/^\d{1,3}$/u.test(prefix) || Number(prefix) > max)
    return `has no valid prefix; write a number from 1 to ${String(max)} after the slash`;
  const network = new BlockList();
  try {
    network.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  } catch {
    return 'is not a valid network';
  }
  // A network of IPv6 may hold all of IPv4, as `::ffff:0:0/96` does.
  const isEverywhere = ['0.0.0.0', '255.255.255.255'].every((one) => network.check(`::ffff:${one}`, 'ipv6'));
  return isEverywhere || Number(prefix) === 0
    ? 'is every address, so anybody could name anybody; name the proxies'
    : null;
}

/** Reads `ana:operate,unmask;*:view`. A name may contain colons; the last one ends it. */
function readUsers(text: string, report: (message: string) => void): SignOnSettings['users'] {
  const users = new Map<string, readonly Permission[]>();
  for (const entry of listOf(text, /[;\n]/u)) {
    const at = entry.lastIndexOf(':');
    const name = entry.slice(0, Math.max(0, at)).trim();
    const given = listOf(entry.slice(at + 1), /,/u);
    const unknown = given.find((role) => !roles.some((each) => each === role));
    if (name === '' || given.length === 0)
      report(
        `${JSON.stringify(entry)} is not of the form name:roles; write for example ana:operate,unmask;*:view`,
      );
    else if (unknown !== undefined)
      report(
        `${JSON.stringify(entry)} has the unknown role ${JSON.stringify(unknown)}; roles are ${roles.join(', ')}`,
      );
    else if (users.has(name)) report(`names ${JSON.stringify(name)} twice; keep one entry with all roles`);
    // Whoever may act may also read.
    else
      users.set(
        name,
        roles.filter((role) => role === 'view' || given.includes(role)),
      );
  }
  if (listOf(text, /[;\n]/u).length === 0)
    report('names nobody, so nobody could sign in; write for example *:view');
  return users;
}
