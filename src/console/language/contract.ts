/** Words of the pages of the contract. */
export interface ContractWords {
  readonly title: string;
  lead(kinds: number): string;
  readonly asyncapi: string;
  readonly drift: string;
  readonly kind: string;
  readonly what: string;
  readonly subject: string;
  readonly origin: string;
  readonly handlers: string;
  readonly nobody: string;
  readonly specification: string;
  readonly source: string;
  readonly everySource: string;
  readonly section: string;
  readonly order: string;
  readonly byFields: string;
  readonly byFunction: string;
  readonly byArrival: string;
  readonly fields: string;
  readonly noFields: string;
  readonly field: string;
  readonly type: string;
  readonly required: string;
  readonly yes: string;
  readonly optional: string;
  readonly nullable: string;
  readonly values: string;
  readonly grows: string;
  readonly personal: string;
  readonly meaning: string;
  readonly sample: string;
  readonly noSample: string;
  sampleOf(subject: string, version: string | null): string;
  readonly send: string;
  readonly body: string;
  readonly sendWhat: string;
  readonly sendButton: string;
  readonly sendAs: string;
  readonly sendOff: string;
  readonly sendForbidden: string;
  readonly notReady: string;
  readonly outcomes: Readonly<
    Record<'accepted' | 'stale' | 'unrecognized' | 'duplicate' | 'rejected' | 'dropped', string>
  >;
  readonly look: string;
  readonly events: string;
  readonly beyond: string;
  readonly cli: string;
  readonly several: string;
}

const en: ContractWords = {
  title: 'Contract',
  lead: (kinds) => `${String(kinds)} kinds of events that this process knows.`,
  asyncapi: 'Download as AsyncAPI',
  drift: 'What came beyond the contract is found by: portaria contract drift',
  kind: 'Kind',
  what: 'What it says',
  subject: 'Subject',
  origin: 'Defined by',
  handlers: 'Handlers',
  nobody: 'none',
  specification: 'the\u00A0specification',
  source: 'Source',
  everySource: 'every source that sends the provider’s envelope',
  section: 'Section',
  order: 'Version',
  byFields: 'Ordered by',
  byFunction: 'Ordered by the function version of its definition',
  byArrival: 'No field orders its events: arrival does',
  fields: 'Fields of data',
  noFields: 'The kind declares no fields that can be listed here: its schema is not a zod object.',
  field: 'Field',
  type: 'Type',
  required: 'Required',
  yes: 'required',
  optional: 'optional',
  nullable: 'or null',
  values: 'Values',
  grows: 'others are accepted and flagged',
  personal: 'personal',
  meaning: 'Meaning',
  sample: 'Sample',
  noSample: 'There is no sample of this kind. Add example to its defineKind.',
  sampleOf: (subject, version) =>
    version === null
      ? `Its subject is ${subject}; it has no version.`
      : `Its subject is ${subject}, its version ${version}.`,
  send: 'Send a sample',
  body: 'Body',
  sendWhat:
    'It takes the way of a real webhook: it is signed, verified, parsed and stored as an event with the flag sample, and its handlers run.',
  sendButton: 'Send it',
  sendAs: 'Send as source',
  sendOff:
    'Samples are not sent from here, because they would become events of this store. PORTARIA_SAMPLES=true allows it; without that setting it is allowed only while both ports are loopback addresses, the private port has no token and no source is verified.',
  sendForbidden: 'Your session reads only. Sending a sample needs the permission operate.',
  notReady: 'Nothing was sent: the process accepts no webhooks now.',
  outcomes: {
    accepted: 'It was stored as the event',
    stale: 'It was stored as stale, because a newer event of its subject is known:',
    unrecognized: 'It was stored, and the contract lacks its kind:',
    duplicate: 'Nothing new was stored: it repeats the event',
    rejected: 'It is no valid event and is held in quarantine as',
    dropped: 'It is no valid event, and the quarantine had no room for it.',
  },
  look: 'Look at it',
  events: 'Its events',
  beyond: 'those with values that it does not list',
  cli: 'The command line does the same:',
  several: 'Several senders have a kind of this name:',
};

const pt: ContractWords = {
  title: 'Contrato',
  lead: (kinds) => `${String(kinds)} tipos de eventos que este processo conhece.`,
  asyncapi: 'Baixar como AsyncAPI',
  drift: 'O que veio além do contrato se acha com: portaria contract drift',
  kind: 'Tipo',
  what: 'O que diz',
  subject: 'Sujeito',
  origin: 'Definido por',
  handlers: 'Handlers',
  nobody: 'nenhum',
  specification: 'a especificação',
  source: 'Origem',
  everySource: 'toda origem que envia o envelope do provedor',
  section: 'Seção',
  order: 'Versão',
  byFields: 'Ordenado por',
  byFunction: 'Ordenado pela função version de sua definição',
  byArrival: 'Nenhum campo ordena seus eventos: vale a chegada',
  fields: 'Campos de data',
  noFields: 'O tipo não declara campos que se possam listar aqui: seu esquema não é um objeto zod.',
  field: 'Campo',
  type: 'Tipo',
  required: 'Obrigatório',
  yes: 'obrigatório',
  optional: 'opcional',
  nullable: 'ou null',
  values: 'Valores',
  grows: 'outros são aceitos e marcados',
  personal: 'pessoal',
  meaning: 'Significado',
  sample: 'Exemplo',
  noSample: 'Não há exemplo deste tipo. Acrescente example ao seu defineKind.',
  sampleOf: (subject, version) =>
    version === null
      ? `Seu sujeito é ${subject}; não tem versão.`
      : `Seu sujeito é ${subject}, sua versão ${version}.`,
  send: 'Enviar um exemplo',
  body: 'Corpo',
  sendWhat:
    'Ele segue o caminho de um webhook real: é assinado, verificado, lido e guardado como evento com a marca sample, e seus handlers rodam.',
  sendButton: 'Enviar',
  sendAs: 'Enviar como origem',
  sendOff:
    'Exemplos não são enviados daqui, porque virariam eventos deste banco. PORTARIA_SAMPLES=true o permite; sem essa opção, só é permitido quando as duas portas são endereços de loopback, a porta privada não tem token e nenhuma origem é verificada.',
  sendForbidden: 'Sua sessão só lê. Enviar um exemplo exige a permissão operate.',
  notReady: 'Nada foi enviado: o processo não aceita webhooks agora.',
  outcomes: {
    accepted: 'Foi guardado como o evento',
    stale: 'Foi guardado como atrasado, porque um evento mais novo do sujeito é conhecido:',
    unrecognized: 'Foi guardado, e o contrato não tem seu tipo:',
    duplicate: 'Nada novo foi guardado: ele repete o evento',
    rejected: 'Não é um evento válido e está em quarentena como',
    dropped: 'Não é um evento válido, e a quarentena não tinha lugar para ele.',
  },
  look: 'Ver',
  events: 'Seus eventos',
  beyond: 'os que têm valores fora da lista',
  cli: 'A linha de comando faz o mesmo:',
  several: 'Vários remetentes têm um tipo com este nome:',
};

export const contractWords = { en, 'pt-BR': pt };
