// Content of a JSON builder closure: each call or assignment defines a member.

import { extend } from '../../registry/extend.ts'
import { collectItems } from '../../runtime/iterate.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import { ClosureValue, DELEGATE_FIRST } from '../../values/closure.ts'
import { CollectionValue, ListValue } from '../../values/collection.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import type { ArrayValue } from '../../values/java-array.ts'
import { GroovyObject, type Value } from '../../values/value.ts'

const JsonDelegateClass = declareClass('groovy.json.JsonDelegate')

class JsonDelegate extends GroovyObject {
  readonly content = new HashMapValue()

  get klass(): ClassInfo {
    return JsonDelegateClass
  }
}

/** The map that a closure describes. */
export function closureContent(closure: ClosureValue, argument: Value[] = []): Maybe {
  const delegate = new JsonDelegate()
  const copy = closure.copy()
  copy.delegate = delegate
  copy.resolveStrategy = DELEGATE_FIRST
  return andThen(copy.call(argument), () => delegate.content)
}

/** The value of a member that was called with these arguments. */
export function memberContent(args: readonly Value[]): Maybe {
  const [first = null, second] = args
  if (args.length === 1) return first instanceof ClosureValue ? closureContent(first) : first
  if (args.length === 2 && second instanceof ClosureValue) {
    if (first instanceof CollectionValue) return collectItems(first.items, (each) => closureContent(second, [each]))
    return closureContent(second, [first])
  }
  return new ListValue([...args])
}

extend(JsonDelegateClass, {
  'invokeMethod(String name, Object args): Object': (self: JsonDelegate, name: string, args: ArrayValue) =>
    define(self, name, args.items),
  'methodMissing(String name, Object args): Object': (self: JsonDelegate, name: string, args: ArrayValue) =>
    define(self, name, args.items),
  'propertyMissing(String name, Object value): void': (self: JsonDelegate, name: string, value: Value) =>
    define(self, name, [value]),
  'getContent(): Map': (self: JsonDelegate) => self.content,
})

function define(self: JsonDelegate, name: string, args: readonly Value[]): Maybe {
  return andThen(memberContent(args), (value) => {
    self.content.put(name, value)
    return value
  })
}
