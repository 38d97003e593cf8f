import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createLogger, type LoggerOptions } from './create-logger.ts';

/** One control character of each sort: C0, C1, DEL, bidirectional, zero-width, line separator, plane 14. */
const HOSTILE =
  '\u0000\u0007\u001b[2J\b\f\r\t\u007f\u0085\u009b31m\u061c\u202e\u2066\u200b\u2028\ufeff\u{e0041}';
const NEWLINE = 'one\ntwo';

async function logOf(options: Omit<LoggerOptions, 'level' | 'destination'>): Promise<string> {
  let written = '';
  const destination = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      written += chunk.toString();
      done();
    },
  });
  const log = await createLogger({ ...options, level: 'info', destination });
  const error = new Error(`said ${HOSTILE}`);
  log.warn({ kind: `a${HOSTILE}b`, [`key${HOSTILE}`]: [HOSTILE], err: error }, `kind ${HOSTILE} ${NEWLINE}`);
  await new Promise((resolve) => setImmediate(resolve));
  destination.end();
  return written;
}

/** Control, format and separator characters. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('the log', () => {
  test.each([true, false])('for people contains no terminal controls (terminal: %s)', async (isTerminal) => {
    const written = await logOf({ format: 'pretty', isTerminal });
    expect(written).not.toMatch(UNSAFE);
    expect(written).toContain('\\u001b[2J');
    expect(written).toContain('\\u009b31m');
    // A message cannot forge a line.
    expect(written).toContain('one\\ntwo');
  });

  test('as JSON on a terminal contains no terminal controls, and parses to the same values', async () => {
    const written = await logOf({ format: 'json', isTerminal: true });
    expect(written).not.toMatch(UNSAFE);
    expect(JSON.parse(written)).toMatchObject({ kind: `a${HOSTILE}b`, msg: `kind ${HOSTILE} ${NEWLINE}` });
  });

  test('as JSON in a file or pipe is not escaped', async () => {
    const written = await logOf({ format: 'json', isTerminal: false });
    expect(written).toContain('\u009b31m\u061c\u202e');
    expect(JSON.parse(written)).toMatchObject({ kind: `a${HOSTILE}b` });
  });
});
