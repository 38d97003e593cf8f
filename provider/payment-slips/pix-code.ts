export interface PixPayment {
  /** In reais; null leaves it to the payer. */
  readonly amount: number | null;
  /** E-mail address that the payment goes to. */
  readonly key: string;
  /** Letters beyond ASCII lose their accents; at most 25 and 15 of them count. */
  readonly receiver: string;
  readonly city: string;
  /** The issuer's number of the payment, letters and digits, up to 25. */
  readonly reference: string;
}

const MAX_RECEIVER = 25;
const MAX_CITY = 15;

/** A PIX copy-and-paste code, by the Central Bank's manual (EMV QRCPS, CRC-16 at the end). */
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

/** Capital letters, digits and spaces, at least one. */
function plain(text: string, longest: number): string {
  const letters = text
    .normalize('NFD')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9 ]/gu, '');
  return letters.slice(0, longest).trim() || 'BRASIL';
}

/** CRC-16/CCITT-FALSE of ASCII text, four hexadecimal digits. */
function crc16(text: string): string {
  let crc = 0xffff;
  for (const letter of text) {
    crc ^= letter.charCodeAt(0) << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}
