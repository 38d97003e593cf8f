/** Turns the environment into a configuration, or into a list of every mistake in it. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { PortariaError, type Problem } from '../kernel/errors.ts';
import { isPostgresAddress } from '../kernel/postgres-address.ts';
import { systemClock, type Clock } from '../kernel/time/clock.ts';
import type { Config, ConfiguredSource } from './config.ts';
import { createReadDefinedSource } from './defined-sources.ts';
import { reportSecret, type Found } from './found-mistakes.ts';
import { reachable } from './loopback.ts';
import { databaseProblems, resolveDatabase } from './check-databases.ts';
import { readExpectations } from './read-expectations.ts';
import { readSignOn } from './read-sign-on.ts';
import { readSettings, type Environment, type ReadSettings, type SettingValues } from './read-settings.ts';
import { readSources } from './read-sources.ts';
import type { SettingName } from './settings.ts';
import { checkSource } from './source-settings.ts';
import { readAlert, readApi, readForward, readPosting } from './read-targets.ts';
import { checkPlainSecret } from './secret-strength.ts';
import type { GivenSource } from './verification.ts';

/**
 * Reads and checks the whole configuration.
 *
 * @param env environment variables, such as `process.env`
 * @param cwd base of relative paths
 * @param clock says how far away dates are
 * @throws PortariaError `misconfigured`, whose `problems` name all mistakes at once, each with its remedy
 */
export function loadConfig(env: Environment, cwd: string, clock: Pick<Clock, 'now'> = systemClock): Config {
  const now = clock.now();
  const settings = readSettings(env, cwd);
  const read = settings.values as SettingValues;
  const found: Found = {
    problems: [...settings.problems, ...databaseProblems(env, settings)],
    warnings: [...settings.warnings],
  };

  const sources = readVerification(settings, cwd, now, found);
  const forward = readForward(settings, found);
  const ofDefault = sources.get('default')?.api;
  const ofSettings = readApi(settings, found);
  if (ofDefault !== undefined && settings.isSet('PORTARIA_API_URL')) {
    const message = 'and PORTARIA_API_URL are both set; keep one of them';
    found.problems.push({ where: 'PORTARIA_SOURCES.default.apiUrl', message });
  }
  const api = ofSettings ?? ofDefault ?? null;
  const ops = readOps(settings, found);
  const alert = readAlert(settings, found);
  const { expected, problems: unread } = readExpectations(read.PORTARIA_EXPECT ?? '');
  found.problems.push(...unread);
  const backup = readBackup(read, cwd, found.problems);
  const handlersFolder = readHandlersFolder(settings.values, cwd, found.problems);

  const { problems, warnings } = found;
  if (problems.length > 0)
    throw new PortariaError('misconfigured', 'The configuration has mistakes', { problems });
  return {
    host: read.PORTARIA_HOST,
    port: read.PORTARIA_PORT,
    database: resolveDatabase(cwd, read.PORTARIA_DATABASE),
    databaseDirect: read.PORTARIA_DATABASE_DIRECT ?? null,
    sources,
    readDefinedSource: createReadDefinedSource(env, cwd, {
      messageIdHeader: read.PORTARIA_MESSAGE_ID_HEADER,
      reachable: reachable(read.PORTARIA_HOST),
      now,
    }),
    maxBodyBytes: read.PORTARIA_MAX_BODY,
    bodyTimeoutMs: read.PORTARIA_BODY_TIMEOUT_MS,
    onInvalid: read.PORTARIA_ON_INVALID,
    onUnknownValue: read.PORTARIA_ON_UNKNOWN_VALUE,
    maxQuarantineBytes: read.PORTARIA_MAX_QUARANTINE_BYTES,
    keep: {
      events: read.PORTARIA_KEEP_EVENTS,
      quarantine: read.PORTARIA_KEEP_QUARANTINE,
      deliveries: read.PORTARIA_KEEP_DELIVERIES,
      audit: read.PORTARIA_KEEP_AUDIT,
    },
    handlersFolder,
    handlersTimeoutMs: read.PORTARIA_HANDLERS_TIMEOUT_MS,
    concurrency: read.PORTARIA_CONCURRENCY,
    posting: readPosting(settings),
    forward,
    api,
    reconcile: {
      repairs: read.PORTARIA_RECONCILE === 'repair',
      everyMs: read.PORTARIA_RECONCILE === 'off' ? null : read.PORTARIA_RECONCILE_EVERY,
    },
    ops,
    samples: read.PORTARIA_SAMPLES ?? null,
    expected,
    alert,
    backup,
    diskLow: read.PORTARIA_DISK_LOW,
    log: { level: read.PORTARIA_LOG_LEVEL, format: read.PORTARIA_LOG_FORMAT ?? null },
    shutdownGraceMs: read.PORTARIA_SHUTDOWN_GRACE_MS,
    stallTimeoutMs: read.PORTARIA_STALL_TIMEOUT_MS,
    warnings,
  };
}

function readVerification(settings: ReadSettings, cwd: string, now: number, found: Found): Config['sources'] {
  const { values, isSet } = settings;
  const open = reachable(values.PORTARIA_HOST);
  const messageIdHeader = values.PORTARIA_MESSAGE_ID_HEADER ?? 'webhook-id';
  const entries = readSources(values.PORTARIA_SOURCES ?? '{}', cwd, isSet('PORTARIA_VERIFY'), found);
  const ofDefault = readDefault(settings, entries.get('default'), open, found);
  entries.delete('default');
  const sources = new Map<string, ConfiguredSource>();
  for (const [name, given] of [['default', ofDefault] as const, ...entries]) {
    const source = checkSource(given, { messageIdHeader, reachable: open, now }, found);
    if (source === undefined) continue;
    sources.set(name, source);
    const { verify, messageId } = source;
    if (open === null || verify.scheme !== 'none') continue;
    found.warnings.push(
      verify.trustMessageId === true || typeof messageId === 'string'
        ? `source ${name} is not verified and its message ids are trusted: anybody who can reach ${open} can make its events look like repeats`
        : `source ${name} is not verified: anybody who can reach ${open} can send webhooks to it`,
    );
  }
  return sources;
}

/** Where the settings say what an entry says of another source. */
const settingOf: Readonly<Record<string, SettingName>> = {
  verify: 'PORTARIA_VERIFY',
  header: 'PORTARIA_VERIFY_HEADER',
  messageIdHeader: 'PORTARIA_MESSAGE_ID_HEADER',
};

/** Reads `default`: its entry in `PORTARIA_SOURCES`, verified as the settings say unless the entry says it. */
function readDefault(
  { values, isSet, origin }: ReadSettings,
  entry: GivenSource | undefined,
  open: string | null,
  { problems }: Found,
): GivenSource {
  const inEntry = (field: string) => `PORTARIA_SOURCES.default.${field}`;
  const verifiesItself = entry?.verify !== undefined;
  if (!isSet('PORTARIA_VERIFY') && (values.PORTARIA_SECRETS ?? []).length > 0)
    problems.push({
      where: 'PORTARIA_VERIFY',
      message: 'is not set, but secrets are; set it to token, hmac or standard',
    });
  else if (!isSet('PORTARIA_VERIFY') && open !== null && !verifiesItself)
    problems.push({
      where: 'PORTARIA_VERIFY',
      message: `is not set, but other machines can reach ${open}; set it to token, hmac or standard with PORTARIA_SECRETS, or to none to accept webhooks from anybody`,
    });
  const observe = values.PORTARIA_VERIFY_OBSERVE;
  if (observe !== undefined && entry?.fields.observe !== undefined)
    problems.push({
      where: inEntry('observe'),
      message: 'and PORTARIA_VERIFY_OBSERVE are both set; keep one of them',
    });
  const fields = { ...entry?.fields, ...(observe !== undefined && { observe }) };
  const at = (field: string) =>
    field === 'observe' && observe !== undefined ? 'PORTARIA_VERIFY_OBSERVE' : inEntry(field);
  if (verifiesItself) return { ...entry, fields, at };
  const unset = isSet('PORTARIA_VERIFY') ? undefined : 'none';
  return {
    ...{ isDefault: true, key: { values: [], where: at('apiKey') }, ...entry, fields },
    verify: values.PORTARIA_VERIFY ?? unset,
    secrets: {
      values: values.PORTARIA_SECRETS ?? (isSet('PORTARIA_SECRETS') ? undefined : []),
      where: origin('PORTARIA_SECRETS'),
    },
    header: values.PORTARIA_VERIFY_HEADER,
    messageIdHeader: isSet('PORTARIA_MESSAGE_ID_HEADER') ? values.PORTARIA_MESSAGE_ID_HEADER : undefined,
    trustMessageId: values.PORTARIA_TRUST_MESSAGE_ID,
    at: (field) => settingOf[field] ?? at(field),
  };
}

function readOps(settings: ReadSettings, found: Found): Config['ops'] {
  const { values, isSet } = settings;
  const { PORTARIA_OPS_TOKEN: token = null, PORTARIA_OPS_HOST: host = '127.0.0.1' } = values;
  const viewToken = values.PORTARIA_OPS_VIEW_TOKEN ?? null;
  const port = values.PORTARIA_OPS_PORT ?? 9090;
  const open = reachable(host);
  if (token !== null) reportSecret('PORTARIA_OPS_TOKEN', checkPlainSecret(token, open), settings, found);
  else if (open !== null && !isSet('PORTARIA_OPS_TOKEN') && !isSet('PORTARIA_OPS_USER_HEADER'))
    found.problems.push({
      where: 'PORTARIA_OPS_TOKEN',
      message: `is missing, but other machines can reach the private port on ${open}; set a token, or PORTARIA_OPS_HOST=127.0.0.1`,
    });
  if (viewToken !== null)
    reportSecret('PORTARIA_OPS_VIEW_TOKEN', checkPlainSecret(viewToken, open), settings, found);
  if (viewToken !== null && !isSet('PORTARIA_OPS_TOKEN'))
    found.problems.push({
      where: 'PORTARIA_OPS_VIEW_TOKEN',
      message: 'has no effect without PORTARIA_OPS_TOKEN; set that token, too',
    });
  if (viewToken !== null && viewToken === token)
    found.problems.push({
      where: 'PORTARIA_OPS_VIEW_TOKEN',
      message: 'is the same as PORTARIA_OPS_TOKEN; use a different one, which only reads',
    });
  if (port !== 0 && port === values.PORTARIA_PORT)
    found.problems.push({
      where: 'PORTARIA_OPS_PORT',
      message: `${String(port)} is also the public port; use a different port`,
    });
  const { signOn, problems } = readSignOn(settings);
  found.problems.push(...problems);
  return { host, port, token, viewToken, signOn, tokenSignIn: values.PORTARIA_OPS_TOKEN_SIGN_IN ?? true };
}

function readBackup(read: SettingValues, cwd: string, problems: Problem[]): Config['backup'] {
  if (read.PORTARIA_BACKUP_DIR === undefined) return null;
  const folder = resolve(cwd, read.PORTARIA_BACKUP_DIR);
  const where = 'PORTARIA_BACKUP_DIR';
  if (read.PORTARIA_DATABASE === ':memory:' || isPostgresAddress(read.PORTARIA_DATABASE))
    problems.push({
      where,
      message: 'is for an SQLite file; unset it, and back PostgreSQL up by pg_dump or archived WAL',
    });
  else if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    problems.push({ where, message: `${folder} is not a folder; name one, or one to create` });
  return { folder, everyMs: read.PORTARIA_BACKUP_EVERY, keep: read.PORTARIA_BACKUP_KEEP };
}

function readHandlersFolder(values: Partial<SettingValues>, cwd: string, problems: Problem[]): string | null {
  if (values.PORTARIA_HANDLERS === undefined) return null;
  const folder = resolve(cwd, values.PORTARIA_HANDLERS);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    problems.push({
      where: 'PORTARIA_HANDLERS',
      message: `${folder} is not a folder; create it, or unset this for the shipped handlers`,
    });
  return folder;
}
