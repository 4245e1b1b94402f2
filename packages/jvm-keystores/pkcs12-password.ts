/** A password in the two forms that PKCS #12 derives keys from. */
export interface PasswordForm {
  /** UTF-16, big-endian, with two trailing zero bytes (RFC 7292 appendix B.1). */
  readonly bmp: Buffer
  /** For PBKDF2 (RFC 8018). */
  readonly utf8: Buffer
}

/**
 * The forms to try. Tools encode the empty password differently, as two zero bytes or as no bytes, and the file does not record
 * which.
 */
export function passwordForms(password: string | null): readonly PasswordForm[] {
  const text = password ?? ''
  const form = { bmp: Buffer.from(`${text}\0`, 'utf16le').swap16(), utf8: Buffer.from(text, 'utf8') }
  return text === '' ? [form, { bmp: Buffer.alloc(0), utf8: Buffer.alloc(0) }] : [form]
}
