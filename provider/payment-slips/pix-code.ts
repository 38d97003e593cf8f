/** The data that a PIX code encodes. */
export interface PixPayment {
  /** In reais; null lets the payer choose. */
  readonly amount: number | null;
  /** PIX key of the receiver: an e-mail address. */
  readonly key: string;
  /** Name of the receiver. Accents are removed and the rest is cut at 25 characters. */
  readonly receiver: string;
  /** City of the receiver, without accents and cut at 15 characters. */
  readonly city: string;
  /** Reference that the issuer gives the payment: up to 25 letters and digits. */
  readonly reference: string;
}

const MAX_RECEIVER = 25;
const MAX_CITY = 15;

/** Formats a PIX copy-and-paste code by the Central Bank's manual (EMV QRCPS, with a CRC-16 at the end). */
export function pixCode({ amount, key, receiver, city, reference }: PixPayment): string {
  const code = [
    field('00', '01'),
    field('26', `${field('00', 'br.gov.bcb.pix')}${field('01', key)}`),
    field('52', '0000'),
    field('53', '986'),
    amount === null ? '' : field('54', amount.toFixed(2)),
    field('58', 'BR'),
    field('59', plain(receiver, MAX_RECEIVER)),
    field('60', plain(city, MAX_CITY)),
    field('62', field('05', reference)),
    '6304',
  ].join('');
  return `${code}${crc16(code)}`;
}

function field(tag: string, value: string): string {
  return `${tag}${String(value.length).padStart(2, '0')}${value}`;
}

/** Keeps capital letters, digits and spaces. Never returns an empty string. */
function plain(text: string, maxLength: number): string {
  const letters = text
    .normalize('NFD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9 ]/gu, '');
  return letters.slice(0, maxLength).trim() || 'BRASIL';
}

/** Computes CRC-16/CCITT-FALSE of an ASCII string as four hexadecimal digits. */
function crc16(text: string): string {
  let crc = 0xffff;
  for (const letter of text) {
    crc ^= letter.charCodeAt(0) << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
