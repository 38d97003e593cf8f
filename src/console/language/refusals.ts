/** What is refused, in Portuguese. */
import type { refusals as english } from '../../kernel/refusals.ts';

export const refusals: Readonly<typeof english> = {
  'no-field': 'comece uma condição com um campo do conteúdo: data.company.tax_id = 12345678000190',
  'no-operator': (is) =>
    `escreva um de ${is.operators} depois de ${is.path}: data.company.tax_id = 12345678000190`,
  'no-value': ({ condition }) =>
    `escreva um valor depois de ${condition}: data.company.tax_id = 12345678000190`,
  'not-joined': 'junte condições com "and", e ponha entre aspas valores que contêm "and"',

  'foreign-plan': 'Este plano é de outro banco ou de outra versão: faça-o de novo',
  'old-plan': 'O plano tem mais de 10 minutos: faça-o de novo',
  'other-identifiers': 'Estes não são os identificadores do plano: digite os mesmos de novo',

  'nobody-named': 'Ninguém foi indicado: escreva um CPF, um e-mail, um telefone, ou um objeto como user:77',
  'many-identifiers': ({ most }) => `Indique uma pessoa, por no máximo ${String(most)} identificadores`,
  'not-identified': 'A pessoa não está identificada',
  'long-identifier': ({ most }) => `tem mais de ${String(most)} caracteres: escreva um único identificador`,
  'cpf-or-phone': 'pode ser um CPF e um telefone: escreva cpf:… ou phone:…',
  'check-digits':
    'não é um CPF (os dígitos verificadores estão errados): corrija, ou escreva cpf:… se está guardado assim',
  'no-identifier': 'não é um CPF, um CNPJ, um e-mail, um telefone com DDD, nem um objeto como user:77',
  'not-a-person': ({ family }) =>
    `${family} não é uma pessoa: indique-a por CPF, e-mail, telefone, user:<id>, console-user:<id> ou company:<id>`,
  'not-a-cpf': 'não é um CPF: são 11 dígitos',
  'not-a-cnpj': 'não é um CNPJ: são 12 dígitos ou letras, e depois 2 dígitos',
  'not-an-email': 'não é um e-mail: escreva um como ana@example.com',
  'not-a-phone': 'não é um telefone: escreva os dígitos com DDD, como 11987654321 ou +5511987654321',

  'legal-hold': 'A pessoa está sob retenção legal, e nada foi apagado',
  'other-erasure': (is) =>
    `Outro apagamento está em andamento${is.process === null ? '' : ` no processo ${is.process}`}${is.since === null ? '' : ` desde ${is.since}`}: inicie este quando ele terminar`,
  'other-searches': 'Outras pessoas estão sendo buscadas: tente de novo quando uma dessas buscas acabar',
  'reason-missing': 'Dê um motivo: ele fica guardado, e a auditoria o mostra',
  'reason-names-person': 'O motivo fica guardado e identifica a pessoa: escreva-o sem isso',
  'reason-personal':
    'O motivo fica guardado e sai no recibo: escreva-o sem e-mails, sem endereços da web com parâmetros e sem números de dez dígitos ou mais',
  'subject-name': 'Escreva o objeto como família:id, por exemplo company:12',
  'held-identifier':
    'Uma retenção de CPF, CNPJ, e-mail ou telefone não retém nada: indique o objeto como aparece na lista de eventos, por exemplo user:77',
};
