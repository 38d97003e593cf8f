/** Generates companies. */
import { keyedRandom } from '../keyed-random.ts';
import type { Random } from '../../src/kernel/random.ts';
import type { NewCompany } from '../companies/change-company.ts';
import { places, type Place } from './brazilian-places.ts';
import { generateCnpj, generateCpf, generatePlate } from './generate-identifiers.ts';
import { surnames } from './generate-person.ts';
import { between, characters, DIGITS, pick } from './pick.ts';

/** A generated company, with what its violations are generated from. */
export interface GeneratedCompany {
  readonly company: NewCompany;
  /** Place of the head office. Most vehicles drive there. */
  readonly place: Place;
  /** Licence plates of the vehicles. */
  readonly plates: readonly [string, ...string[]];
}

const trades = [
  'Transportadora {}',
  'Transportes {}',
  '{} Logística',
  '{} Transportes e Logística',
  'Expresso {}',
  'Rodoviário {}',
  'Viação {}',
  '{} Locadora de Veículos',
  'Distribuidora {}',
  '{} Engenharia e Obras',
] as const;

const marks = [
  'Serra Azul',
  'Vale Verde',
  'Rio Claro',
  'Boa Vista',
  'Estrela do Sul',
  'Pioneira',
  'Bandeirante',
  'Aliança',
  'Três Marias',
  'Porto Novo',
  'Campo Largo',
  'Horizonte',
  'Planalto',
  'Litoral',
  'Cruzeiro',
  'São Cristóvão',
  'Araucária',
  'Ipê',
  'Guarani',
  'Progresso',
  'União',
  'Nova Era',
  'Continental',
  'Aurora',
] as const;

/** Repeated entries make limited companies more frequent than stock companies and sole traders. */
const legalForms = ['Ltda', 'Ltda', 'Ltda', 'Ltda', 'S.A.', 'Ltda ME', 'EIRELI', 'Ltda EPP'] as const;

const streets = ['Rua', 'Rua', 'Rua', 'Avenida', 'Avenida', 'Rodovia', 'Travessa'] as const;
const complements = ['', '', ', galpão 2', ', sala 301', ', bloco B', ', lote 14'] as const;

/** Share of the companies with a brand name. The others have a surname. */
const MARK_SHARE = 0.75;
const EXTERNAL_UID_SHARE = 0.9;
/** First number of the people who sign in to the portal for a company. Users have smaller numbers. */
const PORTAL_USERS = 500_000_000;

const MIN_FLEET = 4;
const MAX_FLEET = 60;

/**
 * Generates the company with this number (from 0). It depends only on the seed and the number.
 *
 * @param hasUsername whether it has a username for the portal.
 */
export function generateCompany(seed: number, number: number, hasUsername: boolean): GeneratedCompany {
  const random = keyedRandom(seed, `company:${String(number)}`);
  const place = pick(random, places);
  const name = generateCompanyName(random);
  return {
    company: {
      tax_id: generateCnpj(seed, number),
      name,
      ...(random() < EXTERNAL_UID_SHARE && { external_uid: `emp-${String(number + 1).padStart(4, '0')}` }),
      ...(hasUsername && { login_username: generateCpf(seed, PORTAL_USERS + number) }),
      ...generateAddress(random, place),
    },
    place,
    plates: generatePlates(random),
  };
}

function generateCompanyName(random: Random): string {
  const own = random() < MARK_SHARE ? pick(random, marks) : pick(random, surnames);
  return `${pick(random, trades).replace('{}', own)} ${pick(random, legalForms)}`;
}

/** Generates an address with a postal code of its city. */
export function generateAddress(random: Random, { city, state, postalPrefix, neighborhoods }: Place) {
  const street = `${pick(random, streets)} ${pick(random, [...surnames, ...marks])}`;
  const house = String(between(random, 10, 4_800));
  const missing = 'NNNNNNNN'.length - postalPrefix.length;
  return {
    address: `${street}, ${house}${pick(random, complements)}, ${pick(random, neighborhoods)}`,
    city,
    state,
    postal_code: `${postalPrefix}${characters(random, DIGITS, missing)}`,
  };
}

function generatePlates(random: Random): [string, ...string[]] {
  const more = between(random, MIN_FLEET, MAX_FLEET) - 1;
  return [generatePlate(random), ...Array.from({ length: more }, () => generatePlate(random))];
}
