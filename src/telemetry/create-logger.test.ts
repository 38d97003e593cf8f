import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Logger } from '../kernel/logger.ts';
import { createLogger, type LoggerOptions } from './create-logger.ts';

/** One control character of each sort: C0, C1, DEL, bidirectional, zero-width, line separator, plane 14. */
const HOSTILE =
  '\u0000\u0007\u001b[2J\b\f\r\t\u007f\u0085\u009b31m\u061c\u202e\u2066\u200b\u2028\ufeff\u{e0041}';
const NEWLINE = 'one\ntwo';

async function logOf(options: Omit<LoggerOptions, 'level' | 'destination'>): Promise<string> {
  return written(options, (log) => {
    const error = new Error(`said ${HOSTILE}`);
    log.warn(
      { kind: `a${HOSTILE}b`, [`key${HOSTILE}`]: [HOSTILE], err: error },
      `kind ${HOSTILE} ${NEWLINE}`,
    );
  });
}

async function written(
  options: Omit<LoggerOptions, 'level' | 'destination'>,
  write: (log: Logger) => void,
): Promise<string> {
  let text = '';
  const destination = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  const log = await createLogger({ ...options, level: 'info', destination });
  write(log);
  await new Promise((resolve) => setImmediate(resolve));
  destination.end();
  return text;
}

/** Control, format and separator characters. */
const UNSAFE = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

describe('the log', () => {
  test('for people contains no terminal controls', async () => {
    const text = await logOf({ format: 'pretty' });
    expect(text).not.toMatch(UNSAFE);
    expect(text).toContain('\\u001b[2J');
    expect(text).toContain('\\u009b31m');
    // A message cannot forge a line.
    expect(text).toContain('one\\ntwo');
  });

  test('as JSON contains no terminal controls, and parses to the same values', async () => {
    const text = await logOf({ format: 'json' });
    expect(text).not.toMatch(UNSAFE);
    expect(JSON.parse(text)).toMatchObject({ kind: `a${HOSTILE}b`, msg: `kind ${HOSTILE} ${NEWLINE}` });
  });
});

describe('a line for people', () => {
  const pretty = { format: 'pretty' } as const;

  test('has the local time with its offset, the level, the message and the fields that it does not name', async () => {
    const fields = {
      event_name: 'delivery.succeeded',
      delivery: 'd12',
      event: 'k3m9p2-7',
      handler: 'billing',
      kind: 'charge.updated',
      attempt: 1,
      replay: false,
      reason: null,
      note: 'two words',
      ids: ['a', 'b'],
    };
    const text = await written(pretty, (log) => {
      log.info(fields, 'charge.updated k3m9p2-7 for billing succeeded');
    });
    expect(text).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}[+-]\d{4}\] INFO: charge\.updated k3m9p2-7 for billing succeeded {2}delivery=d12 attempt=1 note="two words" ids=\["a","b"\]\n$/,
    );
  });

  test('is one line, and only the stack of an error follows it', async () => {
    const text = await written(pretty, (log) => {
      log.info({ source: 'default', status: 202 }, 'webhook accepted: status 202');
      log.error({ err: new TypeError('no such field') }, 'a request failed');
    });
    const [accepted, failed, stack, ...frames] = text.trimEnd().split('\n');
    expect(accepted).toMatch(/webhook accepted: status 202 {2}source=default$/);
    expect(failed).toMatch(/a request failed$/);
    expect(stack).toBe('    TypeError: no such field');
    for (const frame of frames) expect(frame).toMatch(/^ {4}at /);
  });

  test.each([true, false])('has colours only where asked for: %s', async (colors) => {
    const text = await written({ ...pretty, colors }, (log) => {
      log.warn({ source: 'default' }, 'slow');
    });
    expect(text.includes('\u001b[')).toBe(colors);
  });
});

describe('a name of a field', () => {
  const json = { format: 'json' } as const;
  const namesIn = (line: string) => [...line.matchAll(/"(\w+)":/g)].map(([, name]) => name);

  test.each([
    ['of the delivery and of a line', (log: Logger) => log.child({ kind: 'a' }).info({ kind: 'b' }, 'm')],
    [
      'of a child and its parent',
      (log: Logger) => log.child({ kind: 'a' }).child({ kind: 'b' }).info({}, 'm'),
    ],
  ])('%s occurs once, and the nearer one counts', async (_, write) => {
    const line = await written(json, write);
    expect(namesIn(line).filter((name) => name === 'kind')).toEqual(['kind']);
    expect(JSON.parse(line)).toMatchObject({ kind: 'b', msg: 'm' });
  });

  test('that the line has of its own keeps its value under another name', async () => {
    const line = await written(json, (log) => {
      log.child({ level: 'gold' }).warn({ time: 'noon', msg: 'text' }, 'm');
    });
    expect(new Set(namesIn(line)).size).toBe(namesIn(line).length);
    expect(JSON.parse(line)).toMatchObject({
      level: 40,
      level_: 'gold',
      time: expect.any(Number) as number,
      time_: 'noon',
      msg: 'm',
      msg_: 'text',
    });
  });

  test('does not matter for what pino accepts beside fields: an error, or a message alone', async () => {
    const text = await written(json, (log) => {
      const child = log.child({ handler: 'billing' }) as unknown as Record<string, (first: unknown) => void>;
      child['error']?.(new Error('boom'));
      child['info']?.('only a message');
      child['debug']?.({});
    });
    const [error, message, ...rest] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(error).toMatchObject({ handler: 'billing', err: { message: 'boom' }, msg: 'boom' });
    expect(message).toMatchObject({ handler: 'billing', msg: 'only a message' });
    expect(rest).toEqual([]);
  });
});

describe('an error', () => {
  const fields = async (write: (log: Logger) => void) =>
    JSON.parse(await written({ format: 'json' }, write)) as Readonly<Record<string, unknown>>;
  const thrown = (message: string) =>
    Object.assign(new TypeError(message), { config: { data: 'Ana Prado' }, code: 'E1' });

  test('has its class, message, stack and code, and nothing that a library attached', async () => {
    for (const child of [true, false])
      for (const name of ['err', 'error']) {
        const line = await fields((log) =>
          (child ? log.child({}) : log).error({ [name]: thrown('no user ana@example.com') }, 'failed'),
        );
        if (!child && name === 'error') continue;
        expect(line[name]).toEqual({
          type: 'TypeError',
          message: 'no user <email>',
          stack: expect.stringContaining('TypeError: no user <email>') as string,
          code: 'E1',
        });
      }
  });

  test('of several has each of them', async () => {
    const line = await fields((log) =>
      log.error({ err: new AggregateError([thrown('one'), 'two'], 'all') }, 'failed'),
    );
    expect(line['err']).toMatchObject({ message: 'all', errors: [{ message: 'one' }, 'two'] });
  });

  test('alone is the message, masked', async () => {
    const line = await fields((log) => {
      (log.child({}) as unknown as Record<'error', (error: unknown) => void>).error(
        new Error('no user ana@example.com'),
      );
    });
    expect(line['msg']).toBe('no user <email>');
  });
});

describe('what a handler logs', () => {
  const line = async (fields: object, message = 'm') =>
    JSON.parse(
      await written({ format: 'json' }, (log) => {
        log.child({}).warn(fields, message);
      }),
    ) as Readonly<Record<string, unknown>>;

  test('is one object of JSON, whatever quotes it has', async () => {
    const part = fc.constantFrom(
      '"',
      "'",
      '\\',
      '{"token":',
      'password=',
      'Bearer ',
      'cookie: a=',
      'x1',
      ' ',
    );
    const text = fc.array(part, { maxLength: 8 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, text, async (message, field) => {
        expect(await line({ field, list: [field] }, message)).toHaveProperty('list');
      }),
    );
    expect(await line({}, 'bad body: {"token":"')).toMatchObject({ msg: 'bad body: {"token":"<secret>' });
  });

  test('has no credentials and nothing that a library attached to an error, at any depth', async () => {
    const cause = Object.assign(new Error('no'), {
      config: { data: 'cpf=52998224725' },
      toJSON: () => 'raw',
    });
    const loop: Record<string, unknown> = { note: 'token=abc1' };
    loop['self'] = loop;
    const headers = new (class {
      readonly accept = 'text/html';
      readonly 'set-cookie' = ['sid=1', 'b=2'];
    })();
    const ctx = { list: [{ cause }], token: 987, headers, loop, at: new Date(0), big: 2n };
    expect((await line({ ctx, pwd: 'x' }, 'token=abc')) as unknown).toMatchObject({
      ctx: {
        list: [{ cause: { type: 'Error', message: 'no', stack: expect.any(String) as string } }],
        token: '<secret>',
        headers: { accept: 'text/html', 'set-cookie': ['<secret>', '<secret>'] },
        loop: { note: 'token=<secret>', self: '[Circular]' },
        at: '1970-01-01T00:00:00.000Z',
        big: 2,
      },
      pwd: '<secret>',
      msg: 'token=<secret>',
    });
    expect(JSON.stringify(await line({ ctx }))).not.toContain('52998224725');
  });

  test('does not fail the handler when it cannot be read', async () => {
    const broken = {
      toJSON() {
        throw new Error('no');
      },
    };
    expect(await line({ broken })).toMatchObject({ broken: '[not readable]' });
  });
});
