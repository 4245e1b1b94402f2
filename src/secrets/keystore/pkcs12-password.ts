/** A password in the two forms that PKCS #12 derives keys from. */
export interface PasswordForm {
  /** UTF-16, big end first, with two zero bytes behind it (RFC 7292 appendix B.1). */
  readonly bmp: Buffer
  /** What PBKDF2 gets (RFC 8018). */
  readonly utf8: Buffer
}

/**
 * The forms to try. Tools disagree on the empty password: for some it is two zero bytes, for others nothing at all, and
 * a file does not record which of them made it.
 */
export function passwordForms(password: string | null): readonly PasswordForm[] {
  const text = password ?? ''
  const form = { bmp: Buffer.from(`${text}\0`, 'utf16le').swap16(), utf8: Buffer.from(text, 'utf8') }
  return text === '' ? [form, { bmp: Buffer.alloc(0), utf8: Buffer.alloc(0) }] : [form]
}
