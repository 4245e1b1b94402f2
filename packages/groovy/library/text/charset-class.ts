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

/** One object for each charset, so that they can be compared with `===`. */
const charsets = new Map<string, CharsetValue>()

function charsetOf(canonicalName: string): CharsetValue {
  const made = charsets.get(canonicalName) ?? new CharsetValue(canonicalName)
  charsets.set(canonicalName, made)
  return made
}

function charsetNamed(name: string): CharsetValue {
  try {
    return charsetOf(canonicalCharset(name))
  } catch {
    throw throwable(UnsupportedCharsetException, name.slice(0, 100))
  }
}

extend(CharsetClass, {
  'static forName(String name): Charset': charsetNamed,
  'static defaultCharset(): Charset': () => charsetOf('UTF-8'),
  'name(): String': (self: CharsetValue) => self.name,
  'displayName(): String': (self: CharsetValue) => self.name,
  'toString(): String': (self: CharsetValue) => self.name,
})

extend(
  StandardCharsetsClass,
  Object.fromEntries(
    ['UTF-8', 'ISO-8859-1', 'US-ASCII', 'UTF-16LE', 'UTF-16BE'].map((name) => [
      `static ${name.replaceAll('-', '_')}: Charset`,
      charsetOf(name),
    ]),
  ),
)
