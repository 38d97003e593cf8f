/** Words of the pages of the contract. */
const en = {
  lead: (kinds: number, handled: number): string =>
    `${String(kinds)} kinds of events that this process knows. ${String(handled)} have a handler, named behind the arrow.`,
  asyncapi: 'Download as AsyncAPI',
  drift: 'To find what came beyond the contract: portaria contract drift',
  origin: 'Defined by',
  nobody: 'none',
  specification: 'the\u00A0specification',
  everySource: 'every source that sends the provider’s envelope',
  section: 'Section',
  byFields: 'Ordered by',
  byFunction: 'Ordered by the function version of its definition',
  byArrival: 'No field orders its events: arrival does',
  fields: 'Fields of data',
  noFields: 'The kind declares no fields that can be listed here: its schema is not a zod object.',
  type: 'Type',
  required: 'Required',
  yes: 'required',
  optional: 'optional',
  nullable: 'or null',
  values: 'Values',
  grows: 'others are accepted and flagged',
  personal: 'personal',
  noSample: 'There is no sample of this kind. Add example to its defineKind.',
  sampleOf: (subject: string, version: string | null): string =>
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
  events: 'Its events',
  beyond: 'those with values that it does not list',
  cli: 'The command line does the same:',
  several: 'Several senders have a kind of this name:',
};

const pt: typeof en = {
  lead: (kinds, handled) =>
    `${String(kinds)} tipos de eventos que este processo conhece. ${String(handled)} têm um handler, depois da seta.`,
  asyncapi: 'Baixar como AsyncAPI',
  drift: 'Para achar o que veio além do contrato: portaria contract drift',
  origin: 'Definido por',
  nobody: 'nenhum',
  specification: 'a especificação',
  everySource: 'toda origem que envia o envelope do provedor',
  section: 'Seção',
  byFields: 'Ordenado por',
  byFunction: 'Ordenado pela função version de sua definição',
  byArrival: 'Nenhum campo ordena seus eventos: vale a chegada',
  fields: 'Campos de data',
  noFields: 'O tipo não declara campos que se possam listar aqui: seu esquema não é um objeto zod.',
  type: 'Tipo',
  required: 'Obrigatório',
  yes: 'obrigatório',
  optional: 'opcional',
  nullable: 'ou null',
  values: 'Valores',
  grows: 'outros são aceitos e marcados',
  personal: 'pessoal',
  noSample: 'Não há exemplo deste tipo. Acrescente example ao seu defineKind.',
  sampleOf: (subject, version) =>
    version === null
      ? `Seu objeto é ${subject}; não tem versão.`
      : `Seu objeto é ${subject}, sua versão ${version}.`,
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
    stale: 'Foi guardado como atrasado, porque um evento mais novo do objeto é conhecido:',
    unrecognized: 'Foi guardado, e o contrato não tem seu tipo:',
    duplicate: 'Nada novo foi guardado: ele repete o evento',
    rejected: 'Não é um evento válido e está em quarentena como',
    dropped: 'Não é um evento válido, e a quarentena não tinha lugar para ele.',
  },
  events: 'Seus eventos',
  beyond: 'os que têm valores fora da lista',
  cli: 'A linha de comando faz o mesmo:',
  several: 'Vários remetentes têm um tipo com este nome:',
};

export const contractWords = { en, 'pt-BR': pt };
