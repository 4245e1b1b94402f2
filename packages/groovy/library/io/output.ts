// Output streams and writers, to memory or to a sink of the host.

import { allocateCollection, checkCopy, checkSize } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { CloseableInterface, declareClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { ByteArray } from '../../values/java-array.ts'
import { javaText, textOf } from '../../values/text.ts'
import { ThrowableClass, type ThrowableValue } from '../../values/throwable.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { stackText } from '../exception/exceptions.ts'
import { bytesOf, textOfBytes } from '../text/charsets.ts'
import { StringBuilderValue } from '../text/string-builder-value.ts'

export const OutputStreamClass = declareClass('java.io.OutputStream', { interfaces: [CloseableInterface] })
const ByteArrayOutputStreamClass = declareClass('java.io.ByteArrayOutputStream', { parent: OutputStreamClass })
const DataOutputStreamClass = declareClass('java.io.DataOutputStream', { parent: OutputStreamClass })
const WriterClass = declareClass('java.io.Writer', { interfaces: [CloseableInterface] })
const StringWriterClass = declareClass('java.io.StringWriter', { parent: WriterClass })
const OutputStreamWriterClass = declareClass('java.io.OutputStreamWriter', { parent: WriterClass })
const BufferedWriterClass = declareClass('java.io.BufferedWriter', { parent: WriterClass })
const PrintWriterClass = declareClass('java.io.PrintWriter', { parent: WriterClass })

/** A sink of bytes. */
export class OutputStreamValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly write: (bytes: Uint8Array) => void

  constructor(write: (bytes: Uint8Array) => void, klass: ClassInfo = OutputStreamClass) {
    super()
    this.write = write
    this.klass = klass
  }
}

/** Collects bytes. */
class ByteArrayOutputStreamValue extends OutputStreamValue {
  #chunks: Uint8Array[] = []
  #length = 0

  constructor() {
    super((bytes) => {
      checkSize(this.#length + bytes.length)
      allocateCollection(bytes.length)
      this.#chunks.push(Uint8Array.from(bytes))
      this.#length += bytes.length
    }, ByteArrayOutputStreamClass)
  }

  override get weight(): number {
    return this.#length
  }

  get bytes(): Uint8Array {
    checkCopy(this.#length)
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all]
    return all
  }

  reset(): void {
    this.#chunks = []
    this.#length = 0
  }
}

/** A sink of text. */
class WriterValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly write: (text: string) => void

  constructor(klass: ClassInfo, write: (text: string) => void) {
    super()
    this.klass = klass
    this.write = write
  }
}

class StringWriterValue extends WriterValue {
  readonly buffer: StringBuilderValue

  constructor(buffer = StringBuilderValue.buffer('')) {
    super(StringWriterClass, (text) => buffer.append(text))
    this.buffer = buffer
  }

  override get weight(): number {
    return this.buffer.weight
  }
}

/** Bytes of an array, the low byte of a number, or text as UTF-8. */
function written(value: Value): Uint8Array {
  if (value instanceof ByteArray) return value.bytes
  return typeof value === 'number' ? Uint8Array.of(value) : bytesOf(textOf(value), 'UTF-8')
}

/** Passes a writer to a closure, and returns its result. */
const withWriter = (self: OutputStreamValue, charset: Value, closure: ClosureValue): Maybe =>
  andThen(call(closure, streamWriter(self, charset)), (result) => result)

extend(OutputStreamClass, {
  'write(Object value): void': (self: OutputStreamValue, value: Value) => self.write(written(value)),
  'write(byte[] bytes, int offset, int length): void': (
    self: OutputStreamValue,
    { bytes }: ByteArray,
    offset: number,
    length: number,
  ) => self.write(bytes.subarray(offset, offset + length)),
  'leftShift(Object value): OutputStream': (self: OutputStreamValue, value: Value) => {
    self.write(written(value))
    return self
  },
  'withWriter(Closure closure): Object': (self: OutputStreamValue, closure: ClosureValue) =>
    withWriter(self, 'UTF-8', closure),
  'withWriter(Object charset, Closure closure): Object': (
    self: OutputStreamValue,
    charset: Value,
    closure: ClosureValue,
  ) => withWriter(self, charset, closure),
  'withStream(Closure closure): Object': (self: OutputStreamValue, closure: ClosureValue) => call(closure, self),
  'flush(): void': () => null,
  'close(): void': () => null,
})

extend(ByteArrayOutputStreamClass, {
  'new()': () => new ByteArrayOutputStreamValue(),
  'new(int size)': () => new ByteArrayOutputStreamValue(),
  'toByteArray(): byte[]': ({ bytes }: ByteArrayOutputStreamValue) => new ByteArray(Uint8Array.from(bytes)),
  'size(): int': ({ weight }: ByteArrayOutputStreamValue) => weight,
  'reset(): void': (self: ByteArrayOutputStreamValue) => self.reset(),
  'toString(): String': ({ bytes }: ByteArrayOutputStreamValue) => textOfBytes(bytes, 'UTF-8'),
  'toString(Object charset): String': ({ bytes }: ByteArrayOutputStreamValue, charset: Value) =>
    textOfBytes(bytes, textOf(charset)),
})

extend(DataOutputStreamClass, {
  'new(OutputStream stream)': ({ write }: OutputStreamValue) => new OutputStreamValue(write, DataOutputStreamClass),
  'writeBytes(String text): void': (self: OutputStreamValue, text: string) => self.write(Buffer.from(text, 'latin1')),
})

const character = (value: Value): string => (typeof value === 'number' ? String.fromCharCode(value) : javaText(value))

extend(WriterClass, {
  'write(Object value): void': (self: WriterValue, value: Value) => self.write(character(value)),
  'append(Object value): Writer': (self: WriterValue, value: Value) => {
    self.write(javaText(value))
    return self
  },
  'leftShift(Object value): Writer': (self: WriterValue, value: Value) => {
    self.write(textOf(value))
    return self
  },
  'newLine(): void': (self: WriterValue) => self.write('\n'),
  'print(Object? value): void': (self: WriterValue, value: Value) => self.write(textOf(value)),
  'println(): void': (self: WriterValue) => self.write('\n'),
  'println(Object? value): void': (self: WriterValue, value: Value) => self.write(`${textOf(value)}\n`),
  'flush(): void': () => null,
  'close(): void': () => null,
})

extend(StringWriterClass, {
  'new()': () => new StringWriterValue(),
  'getBuffer(): StringBuffer': ({ buffer }: StringWriterValue) => buffer,
  'toString(): String': ({ buffer }: StringWriterValue) => buffer.text,
})

function streamWriter({ write }: OutputStreamValue, charset: Value, klass = OutputStreamWriterClass): WriterValue {
  return new WriterValue(klass, (text) => write(bytesOf(text, textOf(charset))))
}

extend(OutputStreamWriterClass, {
  'new(OutputStream stream)': (stream: OutputStreamValue) => streamWriter(stream, 'UTF-8'),
  'new(OutputStream stream, Object charset)': (stream: OutputStreamValue, charset: Value) =>
    streamWriter(stream, charset),
})
extend(BufferedWriterClass, {
  'new(Writer writer)': ({ write }: WriterValue) => new WriterValue(BufferedWriterClass, write),
})
extend(PrintWriterClass, {
  'new(Writer writer)': ({ write }: WriterValue) => new WriterValue(PrintWriterClass, write),
  'new(Writer writer, boolean flush)': ({ write }: WriterValue) => new WriterValue(PrintWriterClass, write),
  'new(OutputStream stream)': (stream: OutputStreamValue) => streamWriter(stream, 'UTF-8', PrintWriterClass),
  'new(OutputStream stream, boolean flush)': (stream: OutputStreamValue) =>
    streamWriter(stream, 'UTF-8', PrintWriterClass),
})

extend(ThrowableClass, {
  'printStackTrace(PrintWriter writer): void': (self: ThrowableValue, writer: WriterValue) =>
    writer.write(stackText(self)),
})
