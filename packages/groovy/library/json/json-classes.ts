// JsonSlurper and JsonBuilder.
import { extend } from '../../registry/extend.ts'
import { invokeMethod } from '../../runtime/invoke.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { getProperty } from '../../runtime/property.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import { ClosureValue } from '../../values/closure.ts'
import { CollectionValue, ListValue, MapValue } from '../../values/collection.ts'
import { illegalArgument } from '../../values/exceptions.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { ArrayValue, type ByteArray } from '../../values/java-array.ts'
import { textOf } from '../../values/text.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { textOfBytes } from '../text/charsets.ts'
import { closureContent, memberContent } from './json-builder-content.ts'
import { prettyPrint, toJson } from './json-output.ts'
import { readJson } from './json-values.ts'

class SlurperValue extends GroovyObject {
  readonly klass: ClassInfo

  constructor(klass: ClassInfo) {
    super()
    this.klass = klass
  }
}

/** JSON of an InputStream, a Reader, a File or a URL. */
function parsedText(source: Value, charset: Value[]): Maybe {
  return andThen(invokeMethod(source, 'getText', charset), (text) => readJson(textOf(text)))
}

for (const name of ['JsonSlurper', 'JsonSlurperClassic']) {
  const klass = declareClass(`groovy.json.${name}`)
  extend(klass, {
    'new()': () => new SlurperValue(klass),
    'parseText(String? text): Object': (_: SlurperValue, text: string | null) => {
      if (text === null || text === '') throw illegalArgument('Text must not be null or empty')
      return readJson(text)
    },
    'parse(byte[] bytes): Object': (_: SlurperValue, { bytes }: ByteArray) => readJson(textOfBytes(bytes, 'UTF-8')),
    'parse(byte[] bytes, String charset): Object': (_: SlurperValue, { bytes }: ByteArray, charset: string) =>
      readJson(textOfBytes(bytes, charset)),
    'parse(Object source): Object': (_: SlurperValue, source: Value) => parsedText(source, []),
    'parse(Object source, String charset): Object': (_: SlurperValue, source: Value, charset: string) =>
      parsedText(source, [charset]),
    'setType(Object type): Object': (self: SlurperValue) => self,
  })
}

const JsonBuilderClass = declareClass('groovy.json.JsonBuilder')

class BuilderValue extends GroovyObject {
  content: Value = null

  get klass(): ClassInfo {
    return JsonBuilderClass
  }
}

function built(self: BuilderValue, content: Maybe): Maybe {
  return andThen(content, (value) => {
    self.content = value
    return value
  })
}

/** `json(...)`: a map, a list, a closure, or a list with a closure for each element. */
function call(self: BuilderValue, args: readonly Value[]): Maybe {
  const [first = null] = args
  if (args.length === 0) return built(self, new HashMapValue())
  if (args.length === 1 && (first instanceof MapValue || first instanceof CollectionValue)) return built(self, first)
  if (args.length === 1 && !(first instanceof ClosureValue)) return built(self, new ListValue([first]))
  return built(self, args.length === 1 ? closureContent(first as ClosureValue) : memberContent(args))
}

/** `json.person { ... }`: an object with that one member. */
function named(self: BuilderValue, name: string, args: readonly Value[]): Maybe {
  if (args.length === 0) return built(self, HashMapValue.of([[name, new HashMapValue()]]))
  const [first = null, second] = args
  if (args.length === 2 && first instanceof MapValue && second instanceof ClosureValue) {
    return built(
      self,
      andThen(closureContent(second), (more) => {
        const all = HashMapValue.of(first.entries().map(({ key, value }) => [key, value] as const))
        for (const { key, value } of (more as MapValue).entries()) all.put(key, value)
        return HashMapValue.of([[name, all]])
      }),
    )
  }
  return built(
    self,
    andThen(memberContent(args), (value) => HashMapValue.of([[name, value]])),
  )
}

extend(JsonBuilderClass, {
  'new()': () => new BuilderValue(),
  'new(Object? content)': (content: Value) => {
    const made = new BuilderValue()
    made.content = content
    return made
  },
  'call(Object... args): Object': (self: BuilderValue, args: Value[]) => call(self, args),
  'methodMissing(String name, Object args): Object': (self: BuilderValue, name: string, args: Value) =>
    named(self, name, args instanceof ArrayValue ? args.items : [args]),
  'propertyMissing(String name): Object': (self: BuilderValue, name: string) => getProperty(self.content, name),
  'getContent(): Object': (self: BuilderValue) => self.content,
  'toString(): String': (self: BuilderValue) => toJson(self.content),
  'toPrettyString(): String': (self: BuilderValue) => prettyPrint(toJson(self.content)),
})
