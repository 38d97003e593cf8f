import { isValidPhoneNumber } from 'libphonenumber-js/min';

/** Whether `text` is a phone number in E.164 that a numbering plan allows: `+5511987654321`. */
export function isPhone(text: string): boolean {
  return /^\+[1-9]\d{1,14}$/.test(text) && isValidPhoneNumber(text);
}
