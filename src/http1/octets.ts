export const HTAB = 0x09
export const LF = 0x0a
export const CR = 0x0d
export const SP = 0x20
export const DQUOTE = 0x22
export const ZERO = 0x30
export const COLON = 0x3a
export const SEMICOLON = 0x3b
export const EQUALS = 0x3d
export const BACKSLASH = 0x5c

/** 1 for the octets of a token (RFC 9110 section 5.6.2). */
export const TOKEN_OCTETS: Uint8Array = octetsOf((octet) => /^[!#$%&'*+\-.^_`|~0-9A-Za-z]$/.test(octet))

/** 1 for the octets of a field value or a reason phrase: HTAB, SP, VCHAR and obs-text (RFC 9110 section 5.5). */
export const TEXT_OCTETS: Uint8Array = octetsOf((octet) => /^[\t\x20-\x7e\x80-\xff]$/.test(octet))

/** 1 for the octets of a request target: VCHAR. */
export const TARGET_OCTETS: Uint8Array = octetsOf((octet) => /^[\x21-\x7e]$/.test(octet))

/** The value of a hexadecimal digit; 255 for other octets. */
export const HEX_VALUES: Uint8Array = Uint8Array.from({ length: 256 }, (_, octet) => {
  const text = String.fromCharCode(octet)
  return /^[0-9A-Fa-f]$/.test(text) ? Number.parseInt(text, 16) : 255
})

function octetsOf(isMember: (octet: string) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, octet) => (isMember(String.fromCharCode(octet)) ? 1 : 0))
}
