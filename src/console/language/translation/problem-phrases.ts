/** Portuguese translations of what makes webhooks invalid. */
import type { Phrases } from './phrases.ts';

/** What is wrong with a webhook: messages of the contract, of the parser, and of zod for kinds of a handlers file. */
export const problemPhrases: Phrases = {
  'is required: expected {}': 'é obrigatório: espera-se {}',
  'expected {}, received {}': 'espera-se {}, chegou {}',
  'expected a number that a double can hold, up to {}': 'espera-se um número de precisão dupla, até {}',
  'expected an object': 'espera-se um objeto',
  'does not match the schema ({})': 'não corresponde ao esquema ({})',
  'has an asynchronous schema: make it check synchronously':
    'tem um esquema assíncrono: faça-o verificar de forma síncrona',

  'a string': 'um texto',
  'a number': 'um número',
  'a boolean': 'um booleano',
  'an object': 'um objeto',
  'an array': 'uma lista',
  'a list': 'uma lista',
  'a promise': 'uma promise',
  'an empty string': 'um texto vazio',
  'another string': 'outro texto',
  'another number': 'outro número',
  'a negative number': 'um número negativo',
  'a number too large to hold': 'um número grande demais',
  'true or false': 'true ou false',
  'a string or an object': 'um texto ou um objeto',
  'an object of strings': 'um objeto de textos',
  'a whole number': 'um número inteiro',
  'a whole number up to {}': 'um número inteiro até {}',
  'a whole number (a count)': 'um número inteiro (uma contagem)',
  'a number (reais)': 'um número (reais)',
  'a number (degrees)': 'um número (graus)',
  'a CNPJ (12 digits or capital letters, then 2 digits)':
    'um CNPJ (12 algarismos ou letras maiúsculas, depois 2 algarismos)',
  'a CPF (11 digits)': 'um CPF (11 algarismos)',
  'a calendar date (YYYY-MM-DD)': 'uma data (AAAA-MM-DD)',
  'an ISO 8601 date-time (such as 2026-03-09T14:05:00.000Z)':
    'uma data e hora ISO 8601 (como 2026-03-09T14:05:00.000Z)',
  'a non-empty string (here ids of companies are strings)':
    'um texto não vazio (aqui os ids de empresas são textos)',
  'a non-empty string (ids of console users are strings)':
    'um texto não vazio (os ids de usuários do console são textos)',
  'a non-empty string such as {}': 'um texto não vazio como {}',
  'one of {}': 'um de {}',

  'The body is empty': 'O corpo está vazio',
  'The body is not UTF-8': 'O corpo não é UTF-8',
  'The body is nested deeper than {} levels': 'O corpo tem mais de {} níveis',
  'The body is not JSON: {}': 'O corpo não é JSON: {}',
  'it ends too early': 'acaba cedo demais',
  'it ends too early, at {}': 'acaba cedo demais, na {}',
  'line {}, column {}': 'linha {}, coluna {}',
  'unexpected character': 'caractere inesperado',
  "expected ',' or '}' after property value at {}":
    "espera-se ',' ou '}' depois do valor de um membro, na {}",
  "expected ',' or ']' after array element at {}": "espera-se ',' ou ']' depois de um item da lista, na {}",
  "expected property name or '}' at {}": "espera-se o nome de um membro ou '}', na {}",
  "expected ':' after property name at {}": "espera-se ':' depois do nome de um membro, na {}",
  'expected double-quoted property name at {}': 'espera-se o nome de um membro entre aspas, na {}',
  'unterminated string at {}': 'texto sem aspas finais, na {}',
  'bad control character in string literal at {}': 'caractere de controle em um texto, na {}',
  'bad escaped character at {}': 'caractere de escape inválido, na {}',
  'bad Unicode escape at {}': 'escape Unicode inválido, na {}',
  'no number after minus sign at {}': 'falta o número depois do sinal de menos, na {}',
  'unterminated fractional number at {}': 'número com fração incompleta, na {}',
  'exponent part is missing a number at {}': 'falta o número do expoente, na {}',
  'unexpected non-whitespace character at {}': 'caractere a mais, na {}',

  'The body is not an envelope: {}': 'O corpo não é um envelope: {}',
  'expected an object with {} and {}': 'espera-se um objeto com {} e {}',
  '{} is missing': 'falta {}',
  '{} must be a non-empty string': '{} precisa ser um texto não vazio',
  '{} is longer than {} characters': '{} tem mais de {} caracteres',
  '{} contains control characters': '{} contém caracteres de controle',
  'reading its {} failed: {}': 'a leitura de {} falhou: {}',

  'The data does not match {}: {}': 'Os dados não correspondem a {}: {}',
  '1 issue': '1 problema',
  'more than {} issues': 'mais de {} problemas',
  '{} issues': '{} problemas',
  'The data of {} has values that the contract does not list':
    'Os dados de {} têm valores que o contrato não lista',
  'The data of {} contains a number that is too large': 'Os dados de {} contêm um número grande demais',
  'the message id was used before, for another content (event {})':
    'o id da mensagem já foi usado, para outro conteúdo (evento {})',
  'the message id was used before, for another content ({})':
    'o id da mensagem já foi usado, para outro conteúdo ({})',
  'a person was erased from it, which may be why it matches now; --force releases it':
    'uma pessoa foi apagada dele, e talvez só por isso corresponda agora; --force o libera',
  'event {} has its message id; name {} to release it by its content':
    'o evento {} tem o id de sua mensagem; nomeie {} para liberá-lo pelo conteúdo',

  'the schema of {} failed: {}': 'o esquema de {} falhou: {}',
  'it is asynchronous; make it check synchronously': 'é assíncrono; faça-o verificar de forma síncrona',
  '{} failed: {}': '{} falhou: {}',
  '{} returned {}: return a string, a number or null': '{} devolveu {}: devolva um texto, um número ou null',
  '{} returned {}: return an instant, a whole number or null':
    '{} devolveu {}: devolva um instante, um número inteiro ou null',
  '{} returned a string that is not an instant: return ISO 8601 such as {}, a whole number, or null without a version':
    '{} devolveu um texto que não é um instante: devolva ISO 8601 como {}, um número inteiro, ou null sem versão',
  '{} returned a number that is not whole, or negative: return a whole number from 0':
    '{} devolveu um número não inteiro ou negativo: devolva um número inteiro a partir de 0',
  '{} returned a number, but events of the family {} are ordered by instants: return an instant':
    '{} devolveu um número, mas os eventos da família {} são ordenados por instantes: devolva um instante',
  '{} returned an invalid Date: return null without a version':
    '{} devolveu uma Date inválida: devolva null sem versão',
  '{} returned a Date outside the years 0 to 9999: return null without a version':
    '{} devolveu uma Date fora dos anos 0 a 9999: devolva null sem versão',

  'Invalid input: expected {}, received {}': 'Valor inválido: espera-se {}, chegou {}',
  'Invalid input: expected {}': 'Valor inválido: espera-se {}',
  'Invalid option: expected {}': 'Opção inválida: espera-se {}',
  'Invalid input': 'Valor inválido',
  'Invalid string: must {}': 'Texto inválido: deve {}',
  'match pattern {}': 'corresponder ao padrão {}',
  'Too small: expected {} to have {}': 'Pequeno demais: espera-se que {} tenha {}',
  'Too big: expected {} to have {}': 'Grande demais: espera-se que {} tenha {}',
  'Too small: expected {} to be {}': 'Pequeno demais: espera-se que {} seja {}',
  'Too big: expected {} to be {}': 'Grande demais: espera-se que {} seja {}',
  'Unrecognized key: {}': 'Membro desconhecido: {}',
  'Unrecognized keys: {}': 'Membros desconhecidos: {}',
  '{} characters': '{} caracteres',
  '{} items': '{} itens',
  string: 'texto',
  number: 'número',
  boolean: 'booleano',
  object: 'objeto',
  array: 'lista',
  int: 'inteiro',
  record: 'objeto',
  'Invalid {}': '{} inválido',
};
