/** Characters of a token (RFC 9110 section 5.6.2), for use in a character class. */
export const TOKEN_CHARACTERS = "!#$%&'*+\\-.^_`|~0-9A-Za-z"

/** A token (RFC 9110 section 5.6.2): names of methods, headers, cookies and parameters. */
export const TOKEN = new RegExp(`^[${TOKEN_CHARACTERS}]+$`)

/** Whether a text is a token of at most `maxLength` characters. */
export function isToken(text: string, maxLength = Number.POSITIVE_INFINITY): boolean {
  return text.length <= maxLength && TOKEN.test(text)
}
