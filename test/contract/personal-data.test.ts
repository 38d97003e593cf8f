import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventKinds } from '../../src/contract/catalogue.ts';
import { MASK } from '../../src/contract/personal-data.ts';
import { maskPersonalData, personalDataPaths } from '../../src/contract/specification.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json/json.ts';
import { fixture } from '../support/webhooks/fixtures.ts';
import { withValue } from '../support/webhooks/payload-fields.ts';

describe('personalDataPaths', () => {
  it('lists fields that identify or reach a person, grant access, or name a location', () => {
    expect(personalDataPaths('traffic-violation.indication.updated')).toEqual([
      'status_reason',
      'tax_id',
      'name',
      'email',
      'phone',
      'license',
      'id_number',
      'id_issuer',
      'document_token',
      'signer_token',
      'sign_url',
      'vars',
      'requester_email',
      'requester_phone',
    ]);
    expect(personalDataPaths('company.updated')).toEqual([
      'tax_id',
      'login_username',
      'address.address',
      'address.postal_code',
    ]);
    expect(personalDataPaths('traffic-violation.created')).toEqual([
      'location',
      'latitude',
      'longitude',
      'company.tax_id',
    ]);
    expect(personalDataPaths('company.login.failed')).toEqual(['uid', 'tax_id', 'error']);
    expect(personalDataPaths('console-user.deleted')).toEqual(['name', 'email']);
    expect(personalDataPaths('antt-violation.ticket.updated')).toEqual(['barcode', 'pix']);
    expect(personalDataPaths('charge.payment-slip.updated')).toEqual(['barcode', 'charge.company.tax_id']);
  });

  it('is empty for an unrecognized kind', () => {
    expect(personalDataPaths('user.login.failed')).toEqual([]);
    expect(personalDataPaths('__proto__')).toEqual([]);
  });
});

describe('maskPersonalData', () => {
  it.each(eventKinds)('masks all personal data of %s, and shows the rest', (kind) => {
    const { data } = fixture(kind);
    const personal = personalDataPaths(kind);
    const masked = maskPersonalData(kind, data);
    const hidden = leaves(masked).filter(([, value]) => value === MASK);
    const rightly = (path: string): boolean =>
      personal.some((start) => path === start || path.startsWith(`${start}.`));
    expect(hidden.map(([path]) => path).filter((path) => !rightly(path))).toEqual([]);
    const shown = leaves(masked).filter(
      ([, value]) => value !== MASK && value !== null && typeof value !== 'boolean',
    );
    expect(shown.map(([path]) => path).filter(rightly)).toEqual([]);
    expect(leaves(masked).map(([path]) => path)).toEqual(leaves(data).map(([path]) => path));
    for (const [path, value] of shown)
      expect([path, value]).toEqual(leaves(data).find(([name]) => name === path));
  });

  it('masks undeclared fields, except true, false and null', () => {
    const { data } = fixture('charge.created');
    const payload = { ...data, driver: { name: 'Ana', age: 41, tags: ['x', 7, null], active: true } };
    expect(maskPersonalData('charge.created', payload)).toMatchObject({
      driver: { name: MASK, age: MASK, tags: [MASK, MASK, null], active: true },
    });
  });

  it('masks values that do not match their field, as in quarantine', () => {
    expect(
      maskPersonalData('charge.created', {
        id: '529.982.247-25',
        status: 'pending',
        amount: 'Ana',
        company: 'Ana Ltda',
        due_date: '52998224725',
        date: { of: 'birth' },
      }),
    ).toEqual({
      id: MASK,
      status: 'pending',
      amount: MASK,
      company: MASK,
      due_date: MASK,
      date: { of: MASK },
    });
    expect(maskPersonalData('charge.created', ['Ana', 1])).toEqual([MASK, MASK]);
    expect(maskPersonalData('charge.created', 'Ana')).toBe(MASK);
    expect(maskPersonalData('charge.created', null)).toBeNull();
  });

  it('masks coordinates and everything in vars', () => {
    const violation = maskPersonalData(
      'traffic-violation.created',
      fixture('traffic-violation.created').data,
    );
    expect(violation).toMatchObject({ latitude: MASK, longitude: MASK, license_plate: 'BDT4F37' });
    const indication = fixture('traffic-violation.indication.created').data;
    expect(maskPersonalData('traffic-violation.indication.created', indication)).toMatchObject({
      vars: { frota: MASK, contrato: MASK },
    });
  });

  it('shows names that are not declared only if they are identifiers', () => {
    const { data } = fixture('company.updated');
    const holders = {
      'Ana Maria da Silva 52998224725': 1,
      '52998224725': true,
      cpf_52998224725: 1,
      'ana@example.com': { share: 1 },
      company_12345678000195: 1,
      share: 1,
      HTTP_STATUS_2: 1,
    };
    const expected = {
      '***': MASK,
      '***2': true,
      '***3': MASK,
      '***4': { share: MASK },
      '***5': MASK,
      share: MASK,
      HTTP_STATUS_2: MASK,
    };
    expect(maskPersonalData('company.updated', { ...data, holders })).toMatchObject({ holders: expected });
    expect(maskPersonalData('odd.kind', holders)).toEqual(expected);
    expect(maskPersonalData('company.updated', { 'Ana Maria': 1 })).toEqual({ [MASK]: MASK });
  });

  it('keeps a member named __proto__', () => {
    const payload = JSON.parse('{"id": 1, "__proto__": {"name": "Ana"}}') as JsonObject;
    for (const kind of ['company.created', 'unheard.of']) {
      expect(JSON.stringify(maskPersonalData(kind, payload))).toContain(`"__proto__":{"name":"${MASK}"}`);
    }
  });

  it('masks strings in the wrong place', () => {
    const secret = 'Ana Souza';
    const anywhere = fc.array(fc.string(), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.constantFrom(...eventKinds), anywhere, fc.boolean(), (kind, path, recognized) => {
        const undeclared = ['added_later', ...path];
        const payload = withValue(fixture(kind).data, undeclared, secret);
        expect(JSON.stringify(maskPersonalData(recognized ? kind : 'unheard.of', payload))).not.toContain(
          secret,
        );
      }),
    );
  });

  it('masks every string of an unrecognized kind', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const masked = maskPersonalData('user.login.failed', value as JsonValue);
        for (const [, leaf] of leaves(masked)) expect([MASK, true, false, null]).toContain(leaf);
      }),
    );
  });
});

/** Every scalar value, with its dotted path. */
function leaves(value: JsonValue, path = ''): readonly (readonly [string, JsonValue])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member, path === '' ? name : `${path}.${name}`),
  );
}
