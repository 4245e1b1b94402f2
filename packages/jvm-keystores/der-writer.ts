/** A DER encoder (X.690): each function returns one element. */
function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body])
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return Buffer.from([0x80 | bytes.length, ...bytes])
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => element(0x30, ...content)

/** DER sorts the elements of a SET by their bytes. */
export const set = (...content: readonly Uint8Array[]): Buffer => element(0x31, ...[...content].sort(Buffer.compare))

export const octets = (content: Uint8Array): Buffer => element(0x04, content)

export const bits = (content: Uint8Array, unused = 0): Buffer => element(0x03, Buffer.from([unused]), content)

export const utf8 = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'))

export const nullValue = (): Buffer => element(0x05)

export const trueValue = (): Buffer => element(0x01, Buffer.from([0xff]))

/** A non-negative integer. */
export function integer(value: number | Uint8Array): Buffer {
  const bytes = typeof value === 'number' ? numberBytes(value) : Buffer.from(value)
  return element(0x02, (bytes[0] as number) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

function numberBytes(value: number): Buffer {
  const hex = value.toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

/** UTF-16, big-endian. */
export const bmp = (text: string): Buffer => element(0x1e, Buffer.from(text, 'utf16le').swap16())

/** From dotted notation. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

function base128(value: number): number[] {
  const digits = [value % 128]
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest % 128) | 0x80)
  return digits
}

/** A time in seconds: UTCTime up to 2049, GeneralizedTime after (RFC 5280 section 4.1.2.5). */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
  const isShort = date.getUTCFullYear() < 2050
  return element(isShort ? 0x17 : 0x18, Buffer.from(isShort ? text.slice(2) : text, 'latin1'))
}

/** Explicit context tag around elements. */
export const tagged = (tag: number, ...content: readonly Uint8Array[]): Buffer => element(0xa0 | tag, ...content)

/** Implicit context tag. */
export const implicit = (tag: number, content: Uint8Array): Buffer => element(0x80 | tag, content)
