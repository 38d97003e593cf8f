/** Generates names and contact data of people. */
import { keyedRandom } from '../keyed-random.ts';
import type { Random } from '../../src/kernel/random.ts';
import { addDays } from '../brazilian-day.ts';
import type { NewUser, NewUserDriverLicense } from '../users/change-user.ts';
import { places, type Place } from './brazilian-places.ts';
import { generateCpf, generatePlate } from './generate-identifiers.ts';
import { between, characters, DIGITS, pick } from './pick.ts';

/** Frequent given names in Brazil. */
const givenNames = words(
  'Adriana Alexandre Aline Anderson Antônio Beatriz Bruno Camila Carlos Célia Cláudio Cristiane Daniel Débora ' +
    'Diego Edson Eduardo Elaine Fábio Fernanda Flávio Francisca Gabriel Gilberto Gustavo Helena Ivone João ' +
    'Jorge José Juliana Larissa Leandro Luciana Luís Marcelo Márcia Marcos Maria Mateus Mônica Nilton ' +
    'Patrícia Paulo Priscila Rafael Raimundo Renata Ricardo Roberto Rodrigo Rosângela Sandra Sebastião ' +
    'Sérgio Simone Tatiana Thiago Vanessa Wagner',
);

/** Frequent surnames in Brazil. */
export const surnames = words(
  'Almeida Alves Andrade Araújo Barbosa Barros Batista Borges Campos Cardoso Carvalho Castro Cavalcanti ' +
    'Correia Costa Cunha Dias Duarte Farias Fernandes Ferreira Figueiredo Freitas Gomes Gonçalves Lima Lopes ' +
    'Machado Marques Martins Medeiros Melo Mendes Miranda Monteiro Moraes Moreira Moura Nascimento Nogueira ' +
    'Oliveira Pereira Pinto Prado Ramos Reis Ribeiro Rocha Rodrigues Sales Santana Santos Silva Silveira ' +
    'Soares Souza Tavares Teixeira Vasconcelos Vieira',
);

/** Particles in front of some surnames. */
const particles: Readonly<Record<string, readonly [string]>> = {
  Costa: ['da'],
  Cunha: ['da'],
  Freitas: ['de'],
  Melo: ['de'],
  Nascimento: ['do'],
  Oliveira: ['de'],
  Reis: ['dos'],
  Rocha: ['da'],
  Santos: ['dos'],
  Silva: ['da'],
  Souza: ['de'],
};

function words(text: string): readonly [string, ...string[]] {
  const [first = '', ...others] = text.split(' ');
  return [first, ...others];
}

/** Share of the people with a second given name. */
const SECOND_NAME_SHARE = 0.3;
/** Share of the surnames in {@link particles} that have one. */
const PARTICLE_SHARE = 0.6;

/** Generates a name with one or two given names and two surnames: `José Carlos da Silva Rocha`. */
export function generateName(random: Random): string {
  const first = pick(random, givenNames);
  const second = pick(random, givenNames);
  const names = [first, ...(random() < SECOND_NAME_SHARE && second !== first ? [second] : [])];
  const last = pick(random, surnames);
  const particle = random() < PARTICLE_SHARE ? (particles[last] ?? []) : [];
  return [...names, pick(random, surnames), ...particle, last].join(' ');
}

/** Returns an e-mail address. @param number makes it unique. @param domain a reserved one (RFC 2606). */
export function emailOf(name: string, number: number, domain: string): string {
  const words = plainWords(name);
  return `${words[0] ?? 'contato'}.${words.at(-1) ?? 'frota'}${String(number)}@${domain}`;
}

/** Splits a string into words of the letters a to z. */
function plainWords(text: string): string[] {
  return text
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z ]/gu, '')
    .split(' ')
    .filter((word) => word !== '');
}

/**
 * Generates a mobile phone number with the area code of a place, digits only. It
 * starts with 90, the prefix of collect calls, which no real number has.
 */
export function generatePhone(random: Random, { areaCode }: Pick<Place, 'areaCode'>): string {
  return `${areaCode}90${characters(random, DIGITS.slice(1), 1)}${characters(random, DIGITS, 6)}`;
}

/** A generated user, with what its violations are generated from. */
export interface GeneratedUser {
  readonly user: NewUser;
  readonly place: Place;
  /** Licence plate of the user's own vehicle. */
  readonly plates: readonly [string];
}

const EMAIL_SHARE = 0.9;
const PHONE_SHARE = 0.85;

/** Generates the user with this number (from 0). It depends only on the seed and the number. */
export function generateUser(seed: number, number: number): GeneratedUser {
  const random = keyedRandom(seed, `user:${String(number)}`);
  const place = pick(random, places);
  const name = generateName(random);
  const hasEmail = random() < EMAIL_SHARE;
  const phone = generatePhone(random, place);
  return {
    user: {
      tax_id: generateCpf(seed, number),
      name,
      external_uid: `mot-${String(number + 1).padStart(5, '0')}`,
      ...(hasEmail && { email: emailOf(name, number + 1, 'motoristas.example') }),
      ...(random() < PHONE_SHARE && { phone: `+55${phone}` }),
    },
    place,
    plates: [generatePlate(random)],
  };
}

/** Points in a year that suspend a licence, for commercial drivers too (CTB, article 261). */
const POINTS_LIMIT = 40;
const YEAR_DAYS = 365;
/** Maximum validity of a licence. */
const VALID_DAYS = 10 * YEAR_DAYS;
const SUSPENDED_SHARE = 0.04;
const CANCELED_SHARE = 0.02;
const EXPIRED_SHARE = 0.08;

/** A picture of one grey pixel. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

/** Generates a driver licence. Its dates, class, points, status and state are consistent. */
export function generateLicense(
  random: Random,
  { name, place, now, today }: { name: string; place: Place; now: string; today: string },
): NewUserDriverLicense {
  const status = generateLicenseStatus(random);
  const isExpired = status === 'Expirada';
  const issued = addDays(
    today,
    -(isExpired ? VALID_DAYS + between(random, 5, 300) : between(random, 30, VALID_DAYS - 60)),
  );
  const first = addDays(issued, -between(random, 2 * YEAR_DAYS, 25 * YEAR_DAYS));
  const licenseClass = pick(random, ['B', 'AB', 'C', 'AC', 'D', 'AD', 'E', 'AE']);
  const { state } = place;
  return {
    license: `0${characters(random, DIGITS, 10)}`,
    name,
    points: {
      value: status === 'Suspensa' ? between(random, POINTS_LIMIT, 60) : between(random, 0, POINTS_LIMIT - 1),
      limit: POINTS_LIMIT,
      synced_at: now,
    },
    status,
    class: licenseClass,
    current: status !== 'Cancelada',
    renach: `${state}${characters(random, DIGITS, 9)}`,
    commercial_driver: !['B', 'AB'].includes(licenseClass),
    probationary_license: false,
    current_license_state: state,
    domain_license_state: state,
    issuer_license_state: state,
    issue_date: issued,
    expiration_date: addDays(issued, VALID_DAYS),
    first_license_date: first,
    files: { photo: PICTURE, front: PICTURE, back: PICTURE, qr_code: PICTURE },
  };
}

function generateLicenseStatus(random: Random): NewUserDriverLicense['status'] {
  const share = random();
  if (share < SUSPENDED_SHARE) return 'Suspensa';
  if (share < SUSPENDED_SHARE + CANCELED_SHARE) return 'Cancelada';
  return share < SUSPENDED_SHARE + CANCELED_SHARE + EXPIRED_SHARE ? 'Expirada' : 'Válida';
}
