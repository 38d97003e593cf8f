import type { Phrases } from './phrases.ts';

/** What is wrong with a request, why a job ended, why a delivery waits, and why webhooks are not accepted. */
export const requestPhrases: Phrases = {
  '{} of {} failed': '{} de {} falharam',
  'cancelled by {}': 'cancelada por {}',
  'paused ({}) by {}: {}': 'em pausa ({}) por {}: {}',
  'handler {}, subject {}': 'handler {}, sujeito {}',
  'handler {}': 'handler {}',
  'source {}': 'origem {}',
  'not started yet': 'ainda não começou',
  stopping: 'está parando',

  'begin a condition with a field of the payload: {}': 'comece uma condição com um campo do conteúdo: {}',
  'write one of {} after {}: {}': 'escreva um de {} depois de {}: {}',
  'write a value after {}: {}': 'escreva um valor depois de {}: {}',
  'join conditions by "and", and put values with "and" in quotes':
    'junte condições com "and", e ponha entre aspas valores que contêm "and"',
  'conditions may have {} characters at most': 'as condições podem ter no máximo {} caracteres',
  '{} conditions at most, words included': 'no máximo {} condições, incluindo palavras',
  'a word may have {} characters at most': 'uma palavra pode ter no máximo {} caracteres',
  'name a field below data: {}': 'nomeie um campo dentro de data: {}',
  'a field may be {} levels deep at most': 'um campo pode ter no máximo {} níveis',
  'a value may have {} characters at most': 'um valor pode ter no máximo {} caracteres',
  'contains needs a text': 'contains precisa de um texto',
  '{} is no usual number': '{} não é um número usual',
  '{} is not a quoted text: write {} inside the quotes':
    '{} não é um texto entre aspas: escreva {} dentro das aspas',

  'This is no plan of this store: make the plan again':
    'Este não é um plano deste banco: faça o plano de novo',
  'The plan is older than 10 minutes: make it again': 'O plano tem mais de 10 minutos: faça-o de novo',
  'status {} cannot be discarded: only pending and dead deliveries can':
    'o estado {} não pode ser descartado: só entregas pendentes e mortas podem',
  'status {} cannot be retried: only dead deliveries can':
    'o estado {} não pode ser tentado de novo: só entregas mortas podem',
  'reason is empty: say why they are discarded': 'falta o motivo: diga por que são descartados',
  'there is no handler {}; the handlers are {}': 'não há o handler {}; os handlers são {}',
  'handlers is empty: choose one at least': 'falta o handler: escolha ao menos um',
  'replay {} is sent to a URL: resume it in the command line':
    'o reprocessamento {} vai para uma URL: retome-o na linha de comando',
  'replay {} has ended: there is nothing to resume': 'o reprocessamento {} já acabou: não há o que retomar',
  'job {} is {}: nothing was changed': 'a execução {} está {}: nada mudou',
  '{}: Not a condition here: a {} takes {}': '{}: não é uma condição aqui: {} aceita {}',
  '{}: Write one of {}': '{}: escreva um de {}',
  'action: Write retry, discard, release or replay': 'action: escreva retry, discard, release ou replay',
  'Nothing is selected: name a handler, a source, or a handler and a subject':
    'Nada foi escolhido: nomeie um handler, uma origem, ou um handler e um sujeito',
  'Give a reason: it is shown to everyone who wonders why events wait':
    'Dê um motivo: ele aparece para quem quer saber por que eventos esperam',
  'Write a reason of at most {} characters': 'Escreva um motivo de no máximo {} caracteres',
  'The end lies in the past: name a later one': 'O fim está no passado: escolha um posterior',
  'A subject is paused for one handler: name the handler, too':
    'Um sujeito é pausado para um handler: nomeie também o handler',
  'Write the subject as family:id, for example company:12':
    'Escreva o sujeito como família:id, por exemplo company:12',
  'Write the end as 90m, 2h or 3d': 'Escreva o fim como 90m, 2h ou 3d',
};
