/** Reads the bodies that `send` posts. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { isEventKind } from '../../../contract/catalogue.ts';
import type { Contract } from '../../../contract/contract.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { suggest } from '../../../kernel/text/suggest.ts';
import {
  readFixture,
  readScenario,
  sampleMessage,
  scenarioNames,
} from '../../../operate/contract/fixtures.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** A body to post. */
export interface SentBody {
  readonly bytes: Uint8Array;
  /** Headers that belong to the body's envelope. */
  readonly headers: Readonly<Record<string, string>>;
}

interface BodyContext {
  readonly contract: Contract;
  /** The source to send as; a custom source has kinds of its own. */
  readonly source: string;
  readonly terminal: Pick<Terminal, 'cwd' | 'input'>;
}

/**
 * Reads the bodies to post, in order: one for a kind or a file, one per line of a scenario, of an
 * `.ndjson` file or of standard input (`-`). The bytes stay as they are, so invalid bodies can be sent.
 *
 * @throws PortariaError `not-found`, with the most similar name.
 */
export async function readBodies(
  what: string,
  { contract, source, terminal }: BodyContext,
): Promise<readonly SentBody[]> {
  const kind = contract.find(source, what);
  if (kind !== undefined) {
    // The shipped bytes, which no serialization has changed.
    if (isEventKind(what) && kind.definitions.length === 0) return plain([readFixture(what)]);
    const { body, headers } = sampleMessage(contract, kind);
    return [{ bytes: Buffer.from(JSON.stringify(body)), headers }];
  }
  return plain(await readGiven(what, { contract, source, terminal }));
}

function plain(bodies: readonly Uint8Array[]): readonly SentBody[] {
  return bodies.map((bytes) => ({ bytes, headers: {} }));
}

async function readGiven(
  what: string,
  { contract, source, terminal }: BodyContext,
): Promise<readonly Uint8Array[]> {
  const scenarios = scenarioNames();
  if (scenarios.includes(what)) return linesOf(readScenario(what));
  if (what === '-') return linesOf(await buffer(terminal.input));
  try {
    const bytes = await readFile(resolve(terminal.cwd, what));
    return what.endsWith('.ndjson') ? linesOf(bytes) : [bytes];
  } catch (cause) {
    const sender = contract.kinds.find(({ kind }) => kind === what)?.source;
    if (sender !== undefined)
      throw new PortariaError(
        'not-found',
        sender === null
          ? `${what} is a kind of the provider's envelope, which source ${source} does not send: leave out --source`
          : `${what} is a kind of source ${sender}: add --source ${sender}`,
      );
    const known = contract.kinds.filter(({ kind }) => contract.find(source, kind) !== undefined);
    const meant = suggest(what, [...known.map(({ kind }) => kind), ...scenarios]);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    const message = `${what} is not a kind, not a scenario and not a readable file${hint}`;
    // That there is no such file says the message; anything else about it does not.
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new PortariaError('not-found', message, isMissing ? {} : { cause });
  }
}

const NEWLINE = 0x0a;

/** Splits bytes at line feeds and leaves out blank lines. */
function linesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (Buffer.from(line).toString('latin1').trim() !== '') found.push(line);
    start = end === -1 ? bytes.length : end + 1;
  }
  return found;
}
