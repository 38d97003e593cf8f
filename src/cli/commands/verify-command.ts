/** `portaria verify try`: finds how a sender proves its webhooks. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readSecretFile } from '../../config/text-file.ts';
import type { RawDelivery } from '../../event/delivery.ts';
import { PortariaError } from '../../kernel/errors.ts';
import { quarantineEntry } from '../../operate/show/quarantine-entry.ts';
import { findProofs, type FoundProof } from '../../verify/try/find-proof.ts';
import { operateOnStore } from '../audited.ts';
import { exitCode } from '../exit-code.ts';
import { jsonOption } from '../options/list-options.ts';
import { repeatable } from '../options/repeatable.ts';
import type { Session } from '../session.ts';
import { notFound, orSee } from '../with-store.ts';

export function addVerify(program: Command, session: Session): void {
  const verify = program.command('verify').description('how senders prove their webhooks');
  addTry(verify, session);
}

interface TryFlags {
  readonly header?: readonly string[];
  readonly body?: string;
  readonly event?: string;
  readonly quarantine?: string;
  readonly secretFile: string;
  readonly method: string;
  readonly url: string;
  readonly json: boolean;
}

function addTry(verify: Command, session: Session): void {
  verify
    .command('try')
    .description('try known senders, algorithms and templates on a webhook, and print what fits')
    .requiredOption('--secret-file <file>', 'the secret or public key; several lines are several')
    .option('--header <name: value>', 'a header of the webhook as it was sent; repeatable', repeatable)
    .option('--body <file>', 'the body as it was sent, with every byte')
    .option('--event <id>', 'body and stored headers of this event')
    .option('--quarantine <id>', 'body and stored headers of this entry of the quarantine')
    .option('--method <method>', 'the method of the request', 'POST')
    .option('--url <url>', 'the address that the sender calls, with its query', 'http://localhost/webhooks')
    .addOption(jsonOption())
    .addHelpText('after', epilogue)
    .action(async (flags: TryFlags) => {
      const { cwd, clock } = session.terminal;
      const { lines, mistake } = readSecretFile(flags.secretFile, cwd);
      if (lines === undefined) throw new PortariaError('invalid-argument', `--secret-file ${mistake}`);
      const { body, headers } = await givenWebhook(session, flags);
      const url = URL.parse(flags.url);
      if (url === null)
        throw new PortariaError('invalid-argument', '--url must be a whole URL, with https://');
      const delivery: RawDelivery = {
        ...{ stage: 'raw', source: 'default', receivedAt: clock.now(), method: flags.method, body },
        ...{ path: url.pathname, search: url.search, query: Object.fromEntries(url.searchParams) },
        headers: {
          ...{ host: url.host, 'x-forwarded-proto': url.protocol.replace(':', '') },
          ...headers,
          ...headersOf(flags.header ?? []),
        },
      };
      const found = await findProofs(delivery, lines, clock);
      if (!flags.json) await session.print(foundText(found, flags));
      else for (const one of found) await session.print(JSON.stringify(one));
      const fits = found.some(({ near }) => near === undefined);
      if (!fits) session.exitCode = found.length > 0 ? exitCode.partial : exitCode.failed;
    });
}

type Webhook = Pick<RawDelivery, 'body' | 'headers'>;

/** @throws PortariaError when none of the three says which, or there is none */
async function givenWebhook(session: Session, { body, event, quarantine }: TryFlags): Promise<Webhook> {
  if ([body, event, quarantine].filter((one) => one !== undefined).length !== 1)
    throw new PortariaError('invalid-argument', 'Give one of --body, --event and --quarantine');
  if (body !== undefined) return { body: readFileSync(resolve(session.terminal.cwd, body)), headers: {} };
  // It reads what others see masked.
  const shown =
    event === undefined
      ? { action: 'showQuarantineEntry', unmasked: true, subject: { id: quarantine ?? '' } }
      : { action: 'showEvent', unmasked: true, subject: { id: event } };
  return operateOnStore(session, shown, async (store): Promise<Webhook> => {
    const found =
      event === undefined
        ? await orSee('portaria quarantine list', quarantineEntry(store, quarantine ?? ''))
        : ((await store.event(event)) ?? notFound('event', event, 'portaria events list'));
    if (found.body === null) throw new PortariaError('not-found', 'Its body was removed by retention');
    return { body: found.body, headers: found.headers };
  });
}

function headersOf(given: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    given.map((line) => {
      const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/su.exec(line) ?? [];
      if (name === '') throw new PortariaError('invalid-argument', '--header must be "name: value"');
      // As Node reads them.
      return [name.toLowerCase(), Buffer.from(value).toString('latin1')];
    }),
  );
}

function foundText(found: readonly FoundProof[], { body }: TryFlags): string {
  if (found.length === 0)
    return [
      'Nothing fits, and nothing comes near. Compare the secret, and the bytes of the body.',
      ...(body === undefined
        ? [
            'A header that proves a sender is stored only while its source is observed: give it with --header.',
          ]
        : []),
    ].join('\n');
  return found
    .map(({ verify, near }) =>
      [
        near === undefined ? 'It fits. In an entry of PORTARIA_SOURCES:' : `It comes near. ${near}.`,
        ...(verify === undefined ? [] : [`  "verify": ${JSON.stringify(verify)}`]),
      ].join('\n'),
    )
    .join('\n');
}

const epilogue = `
PORTARIA_VERIFY takes the same JSON, or the name alone. A header that proves a sender is stored only while its
source is observed: otherwise --event and --quarantine need it with --header. The secret is not printed.
`;
