// Readers of texts and of input streams.

import { checkText, tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { IteratorValue } from '../../runtime/items.ts'
import { loop, NEXT } from '../../runtime/iterate.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { CloseableInterface, declareClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { textOf } from '../../values/text.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { listOf } from '../collection/similar.ts'
import { linesOf } from '../text/gdk-string.ts'
import { InputStreamClass, type InputStreamValue } from './input.ts'

const ReaderClass = declareClass('java.io.Reader', { interfaces: [CloseableInterface] })
const StringReaderClass = declareClass('java.io.StringReader', { parent: ReaderClass })
const InputStreamReaderClass = declareClass('java.io.InputStreamReader', { parent: ReaderClass })
const BufferedReaderClass = declareClass('java.io.BufferedReader', { parent: ReaderClass })

/** Text with a position. */
class ReaderValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly #source: () => Maybe
  #text: string | null = null
  #position = 0

  /** `source` returns the text, or PENDING; it is called on the first read. */
  constructor(klass: ClassInfo, source: () => Maybe) {
    super()
    this.klass = klass
    this.#source = source
  }

  override get weight(): number {
    return this.#text?.length ?? 0
  }

  /** Passes the text and the position; `use` returns the next position, and the result. */
  read(use: (text: string, position: number) => readonly [number, Value]): Maybe {
    return andThen(this.#text === null ? this.#source() : null, (loaded) => {
      this.#text ??= textOf(loaded)
      const [position, result] = use(this.#text, this.#position)
      this.#position = position
      return result
    })
  }

  /** The unread text. */
  rest(): Maybe {
    return this.read((text, position) => {
      checkText(text.length - position)
      return [text.length, text.slice(position)]
    })
  }
}

const LINE_END = /\r\n|\r|\n/g

function readLine(self: ReaderValue): Maybe {
  tick()
  return self.read((text, position) => {
    if (position >= text.length) return [position, null]
    LINE_END.lastIndex = position
    const end = LINE_END.exec(text)
    if (end === null) return [text.length, text.slice(position)]
    return [end.index + end[0].length, text.slice(position, end.index)]
  })
}

const withLines = (self: ReaderValue, use: (lines: string[]) => Maybe): Maybe =>
  andThen(self.rest(), (text) => use(linesOf(textOf(text))))

function eachLine(self: ReaderValue, closure: ClosureValue): Maybe {
  let last: Value = null
  return withLines(self, (lines) =>
    loop(
      lines,
      (line, index) => (closure.parameterCount > 1 ? call(closure, line, index + 1) : call(closure, line)),
      (result) => {
        last = result
        return NEXT
      },
      () => last,
    ),
  )
}

extend(ReaderClass, {
  'getText(): String': (self: ReaderValue) => self.rest(),
  'read(): int': (self: ReaderValue) =>
    self.read((text, position) =>
      position < text.length ? [position + 1, text.charCodeAt(position)] : [position, -1],
    ),
  'readLine(): String': readLine,
  'readLines(): List': (self: ReaderValue) => withLines(self, listOf),
  'eachLine(Closure closure): Object': eachLine,
  'withReader(Closure closure): Object': (self: ReaderValue, closure: ClosureValue) => call(closure, self),
  'iterator(): Iterator': (self: ReaderValue) => withLines(self, (lines) => new IteratorValue(lines)),
  'ready(): boolean': (self: ReaderValue) => self.read((text, position) => [position, position < text.length]),
  'close(): void': () => null,
})

const streamReader = (
  stream: InputStreamValue,
  charset: Value = 'UTF-8',
  klass = InputStreamReaderClass,
): ReaderValue => new ReaderValue(klass, () => stream.text(textOf(charset)))

extend(StringReaderClass, { 'new(String text)': (text: string) => new ReaderValue(StringReaderClass, () => text) })
extend(InputStreamReaderClass, {
  'new(InputStream stream)': (stream: InputStreamValue) => streamReader(stream),
  'new(InputStream stream, Object charset)': (stream: InputStreamValue, charset: Value) =>
    streamReader(stream, charset),
})
extend(BufferedReaderClass, {
  'new(Reader reader)': (reader: ReaderValue) => new ReaderValue(BufferedReaderClass, () => reader.rest()),
  'new(Reader reader, int size)': (reader: ReaderValue) => new ReaderValue(BufferedReaderClass, () => reader.rest()),
})

const buffered = (stream: InputStreamValue, charset: Value = 'UTF-8'): ReaderValue =>
  streamReader(stream, charset, BufferedReaderClass)

extend(InputStreamClass, {
  'newReader(): BufferedReader': (self: InputStreamValue) => buffered(self),
  'newReader(Object charset): BufferedReader': (self: InputStreamValue, charset: Value) => buffered(self, charset),
  'withReader(Closure closure): Object': (self: InputStreamValue, closure: ClosureValue) =>
    call(closure, buffered(self)),
  'withReader(Object charset, Closure closure): Object': (
    self: InputStreamValue,
    charset: Value,
    closure: ClosureValue,
  ) => call(closure, buffered(self, charset)),
  'eachLine(Closure closure): Object': (self: InputStreamValue, closure: ClosureValue) =>
    eachLine(buffered(self), closure),
})
