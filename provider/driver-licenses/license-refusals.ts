import { Refusal } from '../http/refusal.ts';

/** Their labels are localized (specification, Errors), and the provider is Brazilian. */

/** A licence that is not there: a label alone. */
export function noLicense(): Refusal {
  return new Refusal(404, '', 'CNH não encontrada');
}

export function noLicenseForCpf(): Refusal {
  return new Refusal(404, 'Não existe CNH para o CPF informado', 'CNH não encontrada');
}

export function invalidCpf(): Refusal {
  return new Refusal(400, 'O CPF informado não é válido', 'CPF inválido');
}
