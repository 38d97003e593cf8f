import { withCpfDigits } from '../../src/contract/check-digits.ts';

/** A person whose data the tests put into payloads. No string of one is a part of another's. */
export interface Someone {
  readonly cpf: string;
  readonly name: string;
  readonly email: string;
  readonly phone: string;
  readonly license: string;
}

export function someone(number: number): Someone {
  const digits = String(number).padStart(2, '0');
  return {
    cpf: withCpfDigits(`0${digits}483926`.padEnd(9, '1').slice(0, 9)),
    name: `José Ançã ${['Zenaide', 'Quirino', 'Wolmer', 'Yara'][number % 4]!} ${digits}`,
    email: `Pessoa.${digits}@exemplo-${digits}.com.br`,
    phone: `119${digits}${digits}7788`.slice(0, 11).padEnd(11, '3'),
    license: `CNH${digits}9988${digits}`,
  };
}

/** The ways in which senders write a CPF. */
export const cpfForms: readonly ((cpf: string) => string | number)[] = [
  (cpf) => cpf,
  (cpf) => `${cpf.slice(0, 3)}.${cpf.slice(3, 6)}.${cpf.slice(6, 9)}-${cpf.slice(9)}`,
  (cpf) => `CPF ${cpf.slice(0, 3)} ${cpf.slice(3, 6)} ${cpf.slice(6, 9)} ${cpf.slice(9)}, titular`,
  (cpf) => Number(cpf),
  (cpf) => `26330014br.gov.bcb.pix0111${cpf}5204000053039865802BR`,
];

/** The ways in which senders write a phone. */
export const phoneForms: readonly ((phone: string) => string | number)[] = [
  (phone) => phone,
  (phone) => `+55${phone}`,
  (phone) => `(${phone.slice(0, 2)}) ${phone.slice(2, 7)}-${phone.slice(7)}`,
  (phone) => Number(phone),
];

/** Finds any string of a person in text, in any form. */
export function traces({ cpf, name, email, phone, license }: Someone, text: string): readonly string[] {
  const spaced = (digits: string) => digits.replaceAll(/.(?=.)/g, '$&[^0-9A-Za-z]{0,3}');
  const forms = [
    spaced(cpf.replace(/^0+/, '')),
    spaced(phone),
    email.replaceAll('.', '\\.').replace('@', '(?:@|\\\\u0040)'),
    name,
    license,
  ];
  return forms.flatMap((form) => text.match(new RegExp(form, 'gi')) ?? []);
}
