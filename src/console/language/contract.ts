/** Words of the pages of the contract. */
import type { Pairs } from '../../pages/language/pairs.ts';
export const contractWords = {
  lead: (kinds: number, handled: number) => [
    `${String(kinds)} kinds of events that this process knows. ${String(handled)} have a handler, named behind the arrow.`,
    `${String(kinds)} tipos de eventos que este processo conhece. ${String(handled)} têm um handler, depois da seta.`,
  ],
  asyncapi: ['Download as AsyncAPI', 'Baixar como AsyncAPI'],
  drift: [
    'To find what came beyond the contract: portaria contract drift',
    'Para achar o que veio além do contrato: portaria contract drift',
  ],
  origin: ['Defined by', 'Definido por'],
  nobody: ['none', 'nenhum'],
  specification: ['the\u00A0specification', 'a especificação'],
  everySource: [
    'every source that sends the provider’s envelope',
    'toda origem que envia o envelope do provedor',
  ],
  section: ['Section', 'Seção'],
  byFields: ['Ordered by', 'Ordenado por'],
  byFunction: [
    'Ordered by the function version of its definition',
    'Ordenado pela função version de sua definição',
  ],
  byArrival: ['No field orders its events: arrival does', 'Nenhum campo ordena seus eventos: vale a chegada'],
  fields: ['Fields of data', 'Campos de data'],
  noFields: [
    'The kind declares no fields that can be listed here: its schema is not a zod object.',
    'O tipo não declara campos que se possam listar aqui: seu esquema não é um objeto zod.',
  ],
  type: ['Type', 'Tipo'],
  required: ['Required', 'Obrigatório'],
  yes: ['required', 'obrigatório'],
  optional: ['optional', 'opcional'],
  nullable: ['or null', 'ou null'],
  values: ['Values', 'Valores'],
  grows: ['others are accepted and flagged', 'outros são aceitos e marcados'],
  personal: ['personal', 'pessoal'],
  noSample: [
    'There is no sample of this kind. Add example to its defineKind.',
    'Não há exemplo deste tipo. Acrescente example ao seu defineKind.',
  ],
  sampleOf: (subject: string, version: string | null) => [
    version === null
      ? `Its subject is ${subject}; it has no version.`
      : `Its subject is ${subject}, its version ${version}.`,
    version === null
      ? `Seu objeto é ${subject}; não tem versão.`
      : `Seu objeto é ${subject}, sua versão ${version}.`,
  ],
  send: ['Send a sample', 'Enviar um exemplo'],
  body: ['Body', 'Corpo'],
  sendWhat: [
    'It is handled like a real webhook: its handlers run, and the event is stored with the flag sample.',
    'É tratado como um webhook real: os handlers são executados, e o evento é guardado com a marca exemplo.',
  ],
  sendButton: ['Send it', 'Enviar'],
  sendAs: ['Send as source', 'Enviar como origem'],
  sendOff: [
    'Samples are not sent from here: they would become events of this store. PORTARIA_SAMPLES=true allows it.',
    'Exemplos não são enviados daqui: virariam eventos deste banco. PORTARIA_SAMPLES=true os permite.',
  ],
  sendForbidden: [
    'Your session reads only. Sending a sample needs the permission operate.',
    'Sua sessão só lê. Enviar um exemplo exige a permissão operate.',
  ],
  outcomes: {
    notReady: [
      'Nothing was sent: the process accepts no webhooks now.',
      'Nada foi enviado: o processo não aceita webhooks agora.',
    ],
    accepted: ['It was stored as the event', 'Foi guardado como o evento'],
    stale: [
      'It was stored as stale, because a newer event of its subject is known:',
      'Foi guardado como atrasado, porque um evento mais novo do objeto é conhecido:',
    ],
    unrecognized: [
      'It was stored, and the contract lacks its kind:',
      'Foi guardado, e o contrato não tem seu tipo:',
    ],
    duplicate: [
      'Nothing new was stored: it repeats the event',
      'Nada novo foi guardado: ele repete o evento',
    ],
    rejected: [
      'It is no valid event and is held in quarantine as',
      'Não é um evento válido e está em quarentena como',
    ],
    dropped: [
      'It is no valid event, and the quarantine had no room for it.',
      'Não é um evento válido, e a quarentena não tinha lugar para ele.',
    ],
  },
  events: ['Its events', 'Seus eventos'],
  beyond: ['those with values that it does not list', 'os que têm valores fora da lista'],
  cli: ['The command line does the same:', 'A linha de comando faz o mesmo:'],
  several: ['Several senders have a kind of this name:', 'Vários remetentes têm um tipo com este nome:'],
} satisfies Pairs;
