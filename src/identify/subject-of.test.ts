import { describe, expect, test } from 'vitest';
import { catalogue, eventKinds } from '../contract/catalogue.ts';
import { parseSubjectName, subjectName } from '../event/subject.ts';
import type { JsonObject, JsonValue } from '../kernel/json/json.ts';
import { parsedEvent } from '../../test/support/verified-delivery.ts';
import { sampleData } from '../testing/sample-data.ts';
import { createIdentify } from './identify.ts';
import { specification } from '../contract/specification.ts';

const identify = createIdentify(specification, (id) => `keyed ${id}`);
/** The subject name of an event. */
function subject(type: string, data: JsonValue): string {
  const event = parsedEvent(JSON.stringify({ type, data }));
  return subjectName(identify(event).subject);
}

describe('kinds of the contract', () => {
  test.each(eventKinds)('the subject of %s is its family and the id of its record', (kind) => {
    const data = sampleData(kind);
    expect(subject(kind, data as JsonValue)).toBe(`${catalogue[kind].family}:${String(data.id)}`);
  });

  test('a company and its login are two subjects, as are a company and a user with one id', () => {
    const names = new Set([
      subject('company.updated', { ...(sampleData('company.updated') as object), id: 12 }),
      subject('company.login.started', { ...(sampleData('company.login.started') as object), id: 12 }),
      subject('user.login.started', { ...(sampleData('user.login.started') as object), id: 12 }),
    ]);
    expect(names).toEqual(new Set(['company:12', 'company-login:12', 'user-login:12']));
  });

  test('all events of a login have one subject', () => {
    const kinds = eventKinds.filter((kind) => kind.startsWith('company.login.'));
    const names = kinds.map((kind) => subject(kind, { ...(sampleData(kind) as object), id: 12 }));
    expect(new Set(names)).toEqual(new Set(['company-login:12']));
  });
});

describe('unrecognized kinds', () => {
  test.each([
    ['user.login.failed', 'user-login:7'],
    ['company.sync.done', 'company-sync:7'],
    ['company.deleted', 'company:7'],
    ['ping', 'ping:7'],
    ['trailing.', 'trailing:7'],
    ['.leading', '-leading:7'],
    ['.', '-:7'],
    ['urn:x:thing.made', 'urn-x-thing:7'],
    ['a b.c', 'a-b:7'],
  ])('%s is about %s', (kind, name) => {
    expect(subject(kind, { id: 7 })).toBe(name);
  });

  test.each<[JsonValue, string]>([
    [{ id: '7' }, '7'],
    [{ id: 'a:b' }, 'a:b'],
    [{ id: 1.5 }, '1.5'],
  ])('of data %j the id is %s', (data, id) => {
    expect(subject('any.thing', data)).toBe(`any:${id}`);
  });

  test.each<JsonValue>([{ id: '' }, { id: null }, { id: { id: 1 } }, { id: true }, {}, [7], '7', null])(
    'data %j without an id is a subject of its own',
    (data) => {
      expect(subject('any.thing', data)).toMatch(/^any:keyed content-[0-9a-f]{32}$/);
    },
  );
});

describe('ids that cannot be printed', () => {
  test.each(['x'.repeat(201), 'a\u001b[2J', '\ud800'])('are replaced by their digest', (id) => {
    expect(subject('any.thing', { id })).toMatch(/^any:keyed sha256-[0-9a-f]{32}$/);
  });

  test('stay different', () => {
    const user = sampleData('console-user.updated') as JsonObject;
    const [one, other] = ['a', 'b'].map((end) =>
      subject('console-user.updated', { ...user, id: 'x'.repeat(300) + end }),
    );
    expect(one).not.toBe(other);
  });
});

test('parseSubjectName reverses subjectName for any subject', () => {
  for (const kind of ['urn:x:thing.made', 'a.b', '.', 'ping']) {
    const name = subject(kind, { id: 'a:b c' });
    const read = parseSubjectName(name);
    expect(read === undefined ? undefined : subjectName(read)).toBe(name);
    expect(read?.id).toBe('a:b c');
  }
});
