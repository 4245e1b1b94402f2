// InputStream and ByteArrayInputStream. A host may pass bytes that are not available yet: reading them suspends the script.

import { checkCopy } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { CloseableInterface, declareClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { ByteArray } from '../../values/java-array.ts'
import { textOf } from '../../values/text.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { listOf } from '../collection/similar.ts'
import { textOfBytes } from '../text/charsets.ts'
import { linesOf } from '../text/gdk-string.ts'

export const InputStreamClass = declareClass('java.io.InputStream', { interfaces: [CloseableInterface] })
const ByteArrayInputStreamClass = declareClass('java.io.ByteArrayInputStream', { parent: InputStreamClass })

/** Bytes with a position. */
export class InputStreamValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly #source: () => Maybe
  #bytes: Uint8Array | null = null
  #position = 0

  /** `source` returns a ByteArray, or PENDING; it is called on the first read. */
  constructor(source: () => Maybe, klass: ClassInfo = InputStreamClass) {
    super()
    this.#source = source
    this.klass = klass
  }

  override get weight(): number {
    return this.#bytes?.length ?? 0
  }

  /** Passes the unread bytes; `use` returns the number of those it has read, and the result. */
  read(use: (rest: Uint8Array) => readonly [number, Value]): Maybe {
    return andThen(this.#bytes === null ? this.#source() : null, (loaded) => {
      this.#bytes ??= (loaded as ByteArray).bytes
      const [count, result] = use(this.#bytes.subarray(this.#position))
      this.#position += count
      return result
    })
  }

  /** All unread bytes as text. */
  text(charset = 'UTF-8'): Maybe {
    return this.read((rest) => [rest.length, textOfBytes(rest, charset)])
  }
}

const allBytes = (self: InputStreamValue): Maybe =>
  self.read((rest) => {
    checkCopy(rest.length)
    return [rest.length, new ByteArray(Uint8Array.from(rest))]
  })

extend(InputStreamClass, {
  'getText(): String': (self: InputStreamValue) => self.text(),
  'getText(Object charset): String': (self: InputStreamValue, charset: Value) => self.text(textOf(charset)),
  'getBytes(): byte[]': allBytes,
  'readAllBytes(): byte[]': allBytes,
  'read(): int': (self: InputStreamValue) =>
    self.read((rest) => (rest.length === 0 ? [0, -1] : [1, rest[0] as number])),
  'available(): int': (self: InputStreamValue) => self.read((rest) => [0, rest.length]),
  'readLines(): List': (self: InputStreamValue) => andThen(self.text(), (text) => listOf(linesOf(textOf(text)))),
  'withStream(Closure closure): Object': (self: InputStreamValue, closure: ClosureValue) => call(closure, self),
  'close(): void': () => null,
})

extend(ByteArrayInputStreamClass, {
  'new(byte[] bytes)': (bytes: ByteArray) => new InputStreamValue(() => bytes, ByteArrayInputStreamClass),
})
