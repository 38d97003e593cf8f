import { describe, expect, it } from 'vitest';
import type { Subject } from '../event/subject.ts';
import { eraseEnvelope } from './erase-payload.ts';
import { parseIdentifier } from './identifier.ts';
import type { Contract } from '../contract/contract.ts';
import { specification } from '../contract/specification.ts';
import { personOf } from './person.ts';

const ana = personOf(['12345678909', 'user:77', 'company:12'].map(parseIdentifier));

function erased(
  type: string,
  data: unknown,
  subject: Subject | null = null,
  contract: Contract = specification,
) {
  const text = JSON.stringify({ type, data });
  const result = eraseEnvelope(text, { source: 'default', kind: type, subject }, ana, contract);
  return result && (JSON.parse(result.text) as { data: unknown }).data;
}

describe('an envelope of the contract', () => {
  it('loses the driver of an indication and keeps the requester', () => {
    expect(
      erased('traffic-violation.indication.created', {
        id: 1,
        status: 'pending',
        tax_id: '12345678909',
        name: 'Ana',
        requester_email: 'chefe@frota.example',
        vars: { nome: 'Ana', responsavel: '98765432100' },
      }),
    ).toEqual({
      id: 1,
      status: 'pending',
      tax_id: null,
      name: null,
      requester_email: 'chefe@frota.example',
      vars: { nome: null, responsavel: '98765432100' },
    });
  });

  it('loses one text of `vars` when the driver is another person', () => {
    const data = {
      id: 1,
      status: 'pending',
      tax_id: '98765432100',
      name: 'Bruno',
      vars: { dono: 'CPF 123.456.789-09' },
    };
    expect(erased('traffic-violation.indication.created', data)).toEqual({ ...data, vars: { dono: null } });
  });

  it('loses the person who signs in for a company, and keeps the company', () => {
    const data = {
      id: 3,
      tax_id: '11222333000181',
      login_username: '12345678909',
      address: { address: 'Rua A' },
    };
    expect(erased('company.updated', data)).toEqual({ ...data, login_username: null });
  });

  it('loses the place of a violation of the user, and keeps the company', () => {
    const data = {
      id: 5,
      status: 'paid',
      location: 'Rua A',
      user: { id: 77 },
      company: { id: 9, tax_id: '11222333000181' },
    };
    expect(erased('traffic-violation.updated', data)).toEqual({ ...data, location: null });
  });

  it('keeps a violation of a user whose company is the person', () => {
    const data = {
      id: 5,
      status: 'paid',
      location: 'Rua A',
      user: { id: 78 },
      company: { id: 12, tax_id: '11222333000181' },
    };
    expect(erased('traffic-violation.updated', data)).toEqual({ ...data, company: { id: 12, tax_id: null } });
  });

  it('replaces only the CPF in a field that is not personal', () => {
    expect(
      erased('charge.created', { id: 1, type: 'fine', status: 'paid', description: 'de 123.456.789-09.' }),
    ).toEqual({ id: 1, type: 'fine', status: 'paid', description: 'de [erased].' });
  });

  it('takes an undeclared member for personal', () => {
    const data = { id: 1, status: 'pending', tax_id: '12345678909', apelido: 'Aninha', idade: 30 };
    expect(erased('traffic-violation.indication.created', data)).toMatchObject({
      apelido: null,
      idade: null,
    });
  });

  it('keeps an id that equals a short CPF', () => {
    const person = personOf([parseIdentifier('cpf:00345678917')]);
    const text = '{"type":"charge.created","data":{"id":345678917,"type":"fine","status":"paid"}}';
    expect(
      eraseEnvelope(text, { source: 's', kind: 'charge.created', subject: null }, person, specification),
    ).toBe(null);
  });

  it('keeps white space, order and the spelling of numbers', () => {
    const text =
      '{ "type":"traffic-violation.indication.created",\n "data":{"x":1.50,"status":"pending","tax_id": "12345678909","id":1e0} }';
    const about = { source: 's', kind: 'traffic-violation.indication.created', subject: null };
    expect(eraseEnvelope(text, about, ana, specification)?.text).toBe(
      text.replace('"12345678909"', 'null').replace('1.50', 'null'),
    );
  });

  it('uses values of the same type where the contract rejects null', () => {
    const strict: Contract = {
      ...specification,
      find: (source, kind) => ({
        ...specification.find(source, kind)!,
        isValid: (data) => !JSON.stringify(data).includes('null'),
      }),
    };
    const data = { id: 1, status: 'pending', tax_id: '12345678909', apelido: 4 };
    expect(erased('traffic-violation.indication.created', data, null, strict)).toEqual({
      ...data,
      tax_id: '[erased]',
      apelido: 0,
    });
  });

  it('finds a CPF behind escapes, and in a member that is hidden by another of the same name', () => {
    const about = { source: 's', kind: 'user.login.started', subject: null };
    const text = '{"type":"user.login.started","data":{"uid":"1234567\\u00389 09","uid":null,"id":1}}';
    expect(eraseEnvelope(text, about, ana, specification)?.text).toContain('"uid":null,"uid":null');
  });
});

describe('an envelope of an unknown kind', () => {
  it('is erased whole, except its id, when it names nobody else', () => {
    expect(
      erased('trip.ended', {
        id: 4,
        placa: 'ABC1D23',
        nome: 'Ana',
        doc: { tipo: 'cpf', n: 12345678909 },
        ok: true,
      }),
    ).toEqual({
      id: 4,
      placa: null,
      nome: null,
      doc: { tipo: null, n: null },
      ok: true,
    });
  });

  it('keeps the objects of other people', () => {
    const bruno = { cpf: '987.654.321-00', nome: 'Bruno' };
    expect(
      erased('fleet.listed', { frota: 'Norte', motoristas: [{ cpf: '12345678909', nome: 'Ana' }, bruno] }),
    ).toEqual({
      frota: 'Norte',
      motoristas: [{ cpf: null, nome: null }, bruno],
    });
  });

  it('loses a member whose name is the CPF', () => {
    expect(erased('scores.listed', { por_cpf: { '12345678909': { nota: 7 } } })).toEqual({
      por_cpf: { '[erased]': { nota: null } },
    });
  });

  it('is erased when it is about the person by its subject alone', () => {
    expect(erased('user.updated', { id: 77, name: 'Ana' }, { family: 'user', id: '77' })).toEqual({
      id: 77,
      name: null,
    });
  });
});

describe('a body that is no envelope', () => {
  const about = { source: 's', kind: null, subject: null };

  it.each(['{"type": 12345678909', 'cpf=123.456.789-09', `${'['.repeat(50_000)}12345678909`])(
    'is replaced: %.20s',
    (text) => {
      expect(eraseEnvelope(text, about, ana, specification)?.text).toBe('"[erased]"');
    },
  );

  it('stays when it does not name the person', () => {
    expect(eraseEnvelope('{"type": 98765432100', about, ana, specification)).toBe(null);
  });
});
