import { extend } from '../../registry/extend.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import { IllegalArgumentException } from '../../values/exceptions.ts'
import { declareException, throwable } from '../../values/throwable.ts'
import { GroovyObject } from '../../values/value.ts'
import { canonicalCharset } from './charsets.ts'

const CharsetClass = declareClass('java.nio.charset.Charset')
const StandardCharsetsClass = declareClass('java.nio.charset.StandardCharsets')

const UnsupportedCharsetException = declareException(
  'java.nio.charset.UnsupportedCharsetException',
  IllegalArgumentException,
)

/** A charset; accepted wherever a charset name is. */
class CharsetValue extends GroovyObject {
  readonly name: string

  constructor(name: string) {
    super()
    this.name = name
  }

  get klass(): ClassInfo {
    return CharsetClass
  }

  override equalityKey(): string {
    return this.name
  }
}

extend(CharsetClass, {
  'static forName(String name): Charset': (name: string) => {
    try {
      return new CharsetValue(canonicalCharset(name))
    } catch {
      throw throwable(UnsupportedCharsetException, name.slice(0, 100))
    }
  },
  'static defaultCharset(): Charset': () => new CharsetValue('UTF-8'),
  'name(): String': (self: CharsetValue) => self.name,
  'displayName(): String': (self: CharsetValue) => self.name,
  'toString(): String': (self: CharsetValue) => self.name,
})

extend(
  StandardCharsetsClass,
  Object.fromEntries(
    ['UTF-8', 'ISO-8859-1', 'US-ASCII', 'UTF-16LE', 'UTF-16BE'].map((name) => [
      `static ${name.replaceAll('-', '_')}: Charset`,
      new CharsetValue(name),
    ]),
  ),
)
