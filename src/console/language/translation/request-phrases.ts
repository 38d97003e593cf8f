/** Portuguese translations of messages about requests, jobs, deliveries and readiness. */
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
  'These are not the identifiers of the plan: type the same again':
    'Estes não são os identificadores do plano: digite os mesmos de novo',
  'This process has no such plan: make it again': 'Este processo não tem esse plano: faça-o de novo',
  'Another erasure runs in the process {} since {}: start this one when it has ended':
    'Outro apagamento está em andamento no processo {} desde {}: inicie este quando ele terminar',
  'Another erasure runs in the process {}: start this one when it has ended':
    'Outro apagamento está em andamento no processo {}: inicie este quando ele terminar',
  'Another erasure runs: start this one when it has ended':
    'Outro apagamento está em andamento: inicie este quando ele terminar',
  'The connection that kept other erasures from starting was lost: what is erased stays erased. Start the same erasure again':
    'A conexão que impedia outros apagamentos se perdeu: o que foi apagado continua apagado. Inicie o mesmo apagamento de novo',
  'The person is not identified': 'A pessoa não está identificada',
  'Nobody is named: write a CPF, an e-mail address, a phone, or a subject such as user:77':
    'Ninguém foi indicado: escreva um CPF, um e-mail, um telefone, ou um sujeito como user:77',
  'Name one person, by at most {} identifiers': 'Indique uma pessoa, por no máximo {} identificadores',
  'identifier {}: {}': 'identificador {}: {}',
  'can be a CPF and a phone: write cpf:… or phone:…':
    'pode ser um CPF e um telefone: escreva cpf:… ou phone:…',
  'is not a CPF (its check digits are wrong): correct it, or write cpf:… if it is stored like this':
    'não é um CPF (os dígitos verificadores estão errados): corrija, ou escreva cpf:… se está guardado assim',
  'is not a CPF, a CNPJ, an e-mail address, a phone with area code, or a subject such as user:77':
    'não é um CPF, um CNPJ, um e-mail, um telefone com DDD, nem um sujeito como user:77',
  '{} is not a person: name the person by CPF, e-mail, phone, user:<id>, console-user:<id> or company:<id>':
    '{} não é uma pessoa: indique-a por CPF, e-mail, telefone, user:<id>, console-user:<id> ou company:<id>',
  'is not a CPF: expected 11 digits': 'não é um CPF: são 11 dígitos',
  'is not a CNPJ: expected 12 digits or letters, then 2 digits':
    'não é um CNPJ: são 12 dígitos ou letras, e depois 2 dígitos',
  'is not an e-mail address: expected one such as ana@example.com':
    'não é um e-mail: escreva um como ana@example.com',
  'is not a phone: expected digits with area code, such as 11987654321 or +5511987654321':
    'não é um telefone: escreva os dígitos com DDD, como 11987654321 ou +5511987654321',
  'The person is under a legal hold, and nothing was erased':
    'A pessoa está sob retenção legal, e nada foi apagado',
  'The reason is stored, and it names the person: write it without':
    'O motivo fica guardado e identifica a pessoa: escreva-o sem isso',
  'The reason is stored and printed in the receipt: write it without e-mail addresses, addresses of the web with a query, and numbers of ten digits or more':
    'O motivo fica guardado e sai no recibo: escreva-o sem e-mails, sem endereços da web com parâmetros e sem números de dez dígitos ou mais',
  'Other persons are being searched for: try again when one of these searches has ended':
    'Outras pessoas estão sendo procuradas: tente de novo quando uma dessas procuras acabar',
  'A hold of a CPF, CNPJ, e-mail address or phone keeps nothing: name the subject as the list of events shows it, such as user:77':
    'Uma retenção de CPF, CNPJ, e-mail ou telefone não retém nada: indique o sujeito como aparece na lista de eventos, por exemplo user:77',
  'Write the subject as family:id, for example company:12, with at most {} visible characters':
    'Escreva o sujeito como família:id, por exemplo company:12, com no máximo {} caracteres visíveis',
  'is longer than {} characters: write one identifier alone':
    'tem mais de {} caracteres: escreva um único identificador',
  'a legal hold of {} was placed meanwhile: what was not erased yet stays until the hold ends':
    'uma retenção legal de {} foi feita nesse meio-tempo: o que ainda não foi apagado fica até ela terminar',
  'Give a reason: it is stored, and the audit shows it':
    'Dê um motivo: ele fica guardado, e a auditoria o mostra',
  'There is no hold of {}': 'Não há retenção de {}',
  'It failed; the log has the reason': 'Falhou; o log tem a causa',
  'The files of the database could not be searched': 'Os arquivos do banco não puderam ser examinados',
  '{} of erased events still run, and may store what they have read':
    '{} de eventos apagados ainda em execução podem guardar o que leram',
  'rows changed while they were erased': 'linhas mudaram enquanto eram apagadas',
  'another process reads the write-ahead log, which still holds the data':
    'outro processo lê o write-ahead log, que ainda contém os dados',
  'the files still name the person ({})': 'os arquivos ainda identificam a pessoa ({})',
  'more than {} different values were erased, the most that the files are searched for: another run searches them for the identifiers alone':
    'mais de {} valores diferentes foram apagados, o máximo que se procura nos arquivos: outra execução procura neles só os identificadores',
  'the kind of {} names the person, and stays: no receipt is possible':
    'o tipo de {} identifica a pessoa, e fica: não há recibo possível',
  'status {} cannot be discarded: only pending and dead deliveries can':
    'o estado {} não pode ser descartado: só entregas pendentes e mortas podem',
  'status {} cannot be retried: only dead deliveries can':
    'o estado {} não pode ser tentado de novo: só entregas mortas podem',
  'reason is empty: say why they are discarded': 'falta o motivo: diga por que são descartados',
  'there is no handler {}; the handlers are {}': 'não há o handler {}; os handlers são {}',
  'handlers is empty: choose one at least': 'falta o handler: escolha ao menos um',
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
