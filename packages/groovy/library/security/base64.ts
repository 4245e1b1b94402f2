// Base64 and hexadecimal digits: java.util.Base64, and the extensions of Groovy to bytes and strings.

import { checkText } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { ArrayBaseClass, CharSequenceInterface, declareClass } from '../../values/classes.ts'
import { illegalArgument, RuntimeException } from '../../values/exceptions.ts'
import { type ArrayValue, ByteArray } from '../../values/java-array.ts'
import { textOf } from '../../values/text.ts'
import { ThrowableValue, throwable } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { bytesOf } from '../text/charsets.ts'

const Base64Class = declareClass('java.util.Base64')
const EncoderClass = declareClass('java.util.Base64$Encoder')
const DecoderClass = declareClass('java.util.Base64$Decoder')

type Alphabet = 'base64' | 'base64url' | 'mime'

class CoderValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly alphabet: Alphabet
  readonly isPadded: boolean

  constructor(klass: ClassInfo, alphabet: Alphabet, isPadded = true) {
    super()
    this.klass = klass
    this.alphabet = alphabet
    this.isPadded = isPadded
  }
}

const buffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

function encode({ alphabet, isPadded }: CoderValue, bytes: Uint8Array): string {
  checkText(bytes.length * 2)
  const text = buffer(bytes).toString(alphabet === 'base64url' ? 'base64url' : 'base64')
  if (alphabet === 'mime') return text.replace(/.{76}(?=.)/g, '$&\r\n')
  const bare = text.replace(/=+$/, '')
  return isPadded ? bare.padEnd(Math.ceil(bare.length / 4) * 4, '=') : bare
}

const DIGITS: Readonly<Record<Alphabet, RegExp>> = {
  base64: /^[A-Za-z0-9+/]*={0,2}$/,
  base64url: /^[A-Za-z0-9_-]*={0,2}$/,
  mime: /^[A-Za-z0-9+/]*={0,2}$/,
}

function decode({ alphabet }: CoderValue, text: string): ByteArray {
  checkText(text.length)
  const digits = alphabet === 'mime' ? text.replace(/[^A-Za-z0-9+/=]/g, '') : text
  if (!DIGITS[alphabet].test(digits)) {
    const bad = (alphabet === 'base64url' ? /[^A-Za-z0-9_=-]/u : /[^A-Za-z0-9+/=]/u).exec(digits)?.[0]
    const code = bad === undefined ? '3d' : (bad.codePointAt(0) as number).toString(16)
    throw illegalArgument(`Illegal base64 character ${code}`)
  }
  const bare = digits.replace(/=+$/, '')
  if (bare.length % 4 === 1) throw illegalArgument('Last unit does not have enough valid bits')
  if (digits.length !== bare.length && digits.length % 4 !== 0) {
    throw illegalArgument('Input byte array has wrong 4-byte ending unit')
  }
  return new ByteArray(Uint8Array.from(Buffer.from(bare, alphabet === 'base64url' ? 'base64url' : 'base64')))
}

for (const [name, alphabet] of [
  ['', 'base64'],
  ['Url', 'base64url'],
  ['Mime', 'mime'],
] as const) {
  extend(Base64Class, {
    [`static get${name}Encoder(): Encoder`]: () => new CoderValue(EncoderClass, alphabet),
    [`static get${name}Decoder(): Decoder`]: () => new CoderValue(DecoderClass, alphabet),
  })
}

extend(EncoderClass, {
  'encodeToString(byte[] bytes): String': (self: CoderValue, { bytes }: ByteArray) => encode(self, bytes),
  'encode(byte[] bytes): byte[]': (self: CoderValue, { bytes }: ByteArray) =>
    new ByteArray(bytesOf(encode(self, bytes), 'ISO-8859-1')),
  'withoutPadding(): Encoder': (self: CoderValue) => new CoderValue(EncoderClass, self.alphabet, false),
})

extend(DecoderClass, {
  'decode(String text): byte[]': (self: CoderValue, text: string) => decode(self, text),
  'decode(byte[] bytes): byte[]': (self: CoderValue, { bytes }: ByteArray) =>
    decode(self, buffer(bytes).toString('latin1')),
})

/** Bytes of an array, also of an array of numbers. */
function bytesIn(array: ArrayValue): Uint8Array {
  if (array instanceof ByteArray) return array.bytes
  throw illegalArgument('expected a byte[]')
}

function withoutBlanks(text: string): string {
  return text.replace(/\s/g, '')
}

function decodeLenient(text: string, alphabet: Alphabet): ByteArray {
  try {
    return decode(new CoderValue(DecoderClass, alphabet), withoutBlanks(text))
  } catch (error) {
    if (!(error instanceof ThrowableValue)) throw error
    throw throwable(RuntimeException, 'bad character in base64 value')
  }
}

function decodeHex(text: string): ByteArray {
  if (text.length % 2 !== 0) throw throwable(RuntimeException, 'odd number of characters in hex string')
  if (!/^[0-9a-fA-F]*$/.test(text)) throw throwable(RuntimeException, 'bad character in hex string')
  checkText(text.length)
  return new ByteArray(Uint8Array.from(Buffer.from(text, 'hex')))
}

// Extensions of Groovy. Results are text instead of Writables, which scripts convert at once.
extend(ArrayBaseClass, {
  'encodeBase64(): String': (self: ArrayValue) => encode(new CoderValue(EncoderClass, 'base64'), bytesIn(self)),
  'encodeBase64(boolean chunked): String': (self: ArrayValue, chunked: boolean) =>
    encode(new CoderValue(EncoderClass, chunked ? 'mime' : 'base64'), bytesIn(self)),
  'encodeBase64Url(): String': (self: ArrayValue) =>
    encode(new CoderValue(EncoderClass, 'base64url', false), bytesIn(self)),
  'encodeBase64Url(boolean pad): String': (self: ArrayValue, pad: boolean) =>
    encode(new CoderValue(EncoderClass, 'base64url', pad), bytesIn(self)),
  'encodeHex(): String': (self: ArrayValue) => {
    const bytes = bytesIn(self)
    checkText(bytes.length * 2)
    return buffer(bytes).toString('hex')
  },
})

extend(CharSequenceInterface, {
  'decodeBase64(): byte[]': (self: Value) => decodeLenient(textOf(self), 'base64'),
  'decodeBase64Url(): byte[]': (self: Value) => decodeLenient(textOf(self), 'base64url'),
  'decodeHex(): byte[]': (self: Value) => decodeHex(textOf(self)),
})
