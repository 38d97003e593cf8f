import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { eventKinds, isEventKind } from '../../../contract/catalogue.ts';
import { PortariaError } from '../../../kernel/errors.ts';
import { suggest } from '../../../kernel/text/suggest.ts';
import { readFixture, readScenario, scenarioNames } from '../../http/fixtures.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/**
 * The bodies to post, in order: one of a kind or a file, one for each line of a
 * scenario or `.ndjson` file. Bytes as they are: also broken ones can be sent.
 *
 * @throws PortariaError `not-found`, with the nearest name.
 */
export async function readBodies(
  what: string,
  terminal: Pick<Terminal, 'cwd' | 'input'>,
): Promise<readonly Uint8Array[]> {
  if (isEventKind(what)) return [readFixture(what)];
  const scenarios = scenarioNames();
  if (scenarios.includes(what)) return lines(readScenario(what));
  if (what === '-') return lines(await buffer(terminal.input));
  try {
    const bytes = await readFile(resolve(terminal.cwd, what));
    return what.endsWith('.ndjson') ? lines(bytes) : [bytes];
  } catch (cause) {
    const meant = suggest(what, [...eventKinds, ...scenarios]);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new PortariaError(
      'not-found',
      `${what} is no kind, no scenario and no file that can be read${hint}`,
      {
        cause,
      },
    );
  }
}

const NEWLINE = 0x0a;

function lines(bytes: Uint8Array): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    const line = bytes.subarray(start, end === -1 ? bytes.length : end);
    if (Buffer.from(line).toString('latin1').trim() !== '') found.push(line);
    start = end === -1 ? bytes.length : end + 1;
  }
  return found;
}
