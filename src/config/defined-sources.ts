/** Adds the sources of handlers files to those of the settings. */
import type { SourceContract } from '../contract/contract.ts';
import { PortariaError, type Problem } from '../kernel/errors.ts';
import type { Config, ConfiguredSource, ReadDefinedSource } from './config.ts';
import type { Environment } from './read-settings.ts';
import { checkFields, headerOfMessageId } from './source-settings.ts';
import { readSecretFile, splitSecrets } from './text-file.ts';
import { checkVerification, type CheckedVerification } from './verification.ts';

/** @param reachable address of the port, if other machines can reach it; else null */
export function createReadDefinedSource(
  env: Environment,
  cwd: string,
  { messageIdHeader, reachable }: { readonly messageIdHeader: string; readonly reachable: string | null },
): ReadDefinedSource {
  return (source, configured) => {
    const { name, origin, fields: { apiKeyFrom, ...fields } = {} } = source;
    const at = (field: string) => `${origin}: source "${name}": ${field}`;
    const key = apiKeyFrom === undefined ? { found: [], where: at('apiKeyFrom') } : secretsOf(apiKeyFrom);
    if ('problem' in key) return { problems: [key.problem], warnings: [] };
    const given = { value: key.found[0], where: key.where };
    const { fields: checked, problems } = checkFields(fields, given, at, {
      ...{ name, reachable },
      hasSecrets:
        configured === undefined
          ? source.verify?.secretsFrom !== undefined
          : configured.verify.scheme !== 'none',
    });
    const { options, ...found } =
      configured === undefined ? verificationOf(source) : { problems: [], warnings: [] };
    const verify = configured?.verify ?? options;
    return {
      ...(verify !== undefined && { source: { ...checked, ...configured, verify } }),
      problems: [...problems, ...found.problems],
      warnings: found.warnings,
    };
  };

  function verificationOf({ name, origin, verify, fields = {} }: SourceContract): CheckedVerification {
    if (verify === undefined) {
      const message = `source "${name}" has no verification: add verify to defineSource, or set PORTARIA_SOURCES={"${name}":{"verify":"hmac","secrets":["…"]}}`;
      return { problems: [{ where: origin, message }], warnings: [] };
    }
    const { proof, secretsFrom } = verify;
    const scheme = typeof proof === 'object' ? proof.scheme : proof;
    if (scheme === 'none' && reachable !== null) {
      const message = `source "${name}" accepts anybody (scheme "none"), but other machines can reach ${reachable}: verify it`;
      return { problems: [{ where: origin, message }], warnings: [] };
    }
    const needsSecrets = scheme !== 'none' && typeof scheme !== 'function';
    if (needsSecrets && secretsFrom === undefined) {
      const message = `source "${name}": verify.secretsFrom is missing: name the environment variable with the secrets`;
      return { problems: [{ where: origin, message }], warnings: [] };
    }
    const secrets = secretsFrom === undefined ? { found: [], where: origin } : secretsOf(secretsFrom);
    if ('problem' in secrets) return { problems: [secrets.problem], warnings: [] };
    if (secretsFrom !== undefined && scheme !== 'none' && secrets.found.length === 0) {
      const message = `is not set: source "${name}" (${origin}) needs its secrets there`;
      return { problems: [{ where: secrets.where, message }], warnings: [] };
    }
    const at = `${origin}: source "${name}": verify`;
    return checkVerification(
      {
        verify: proof,
        secrets: secrets.found,
        messageIdHeader: headerOfMessageId(fields) ?? verify.messageIdHeader?.toLowerCase(),
        usualMessageIdHeader: messageIdHeader,
        trustMessageId: verify.trustMessageId ?? false,
      },
      {
        verify: at,
        secrets: secrets.where,
        header: `${at}.header`,
        messageIdHeader: `${at}.messageIdHeader`,
      },
      reachable,
    );
  }

  function secretsOf(
    variable: string,
  ): { readonly found: readonly string[]; readonly where: string } | { readonly problem: Problem } {
    const [value, file] = [env[variable]?.trim() ?? '', env[`${variable}_FILE`]?.trim() ?? ''];
    if (file === '') return { found: splitSecrets(value, ','), where: variable };
    const where = `${variable}_FILE`;
    if (value !== '')
      return { problem: { where, message: `and ${variable} are both set; unset one of them` } };
    const { lines, mistake } = readSecretFile(file, cwd);
    return lines === undefined ? { problem: { where, message: mistake } } : { found: lines, where };
  }
}

/**
 * Adds defined sources to those of the configuration. An entry of `PORTARIA_SOURCES` with the same name replaces
 * what the definition says.
 *
 * @throws PortariaError `misconfigured`, with every problem
 */
export function withDefinedSources(config: Config, defined: readonly SourceContract[]): Config {
  if (defined.length === 0) return config;
  const sources = new Map(config.sources);
  const problems: Problem[] = [];
  const warnings = [...config.warnings];
  for (const source of defined) {
    const read = config.readDefinedSource(source, sources.get(source.name));
    problems.push(...read.problems);
    warnings.push(...read.warnings);
    if (read.source !== undefined) sources.set(source.name, storing(read.source, source.envelope.headers));
  }
  if (problems.length > 0)
    throw new PortariaError('misconfigured', 'The sources of the handlers folder have mistakes', {
      problems,
    });
  return { ...config, sources, warnings };
}

function storing(source: ConfiguredSource, headers: readonly string[]): ConfiguredSource {
  return headers.length === 0 ? source : { ...source, verify: { ...source.verify, storedHeaders: headers } };
}
