// XmlSlurper: access to an XML tree by properties, `root.item[0].@id`.
import { extend } from '../../registry/extend.ts'
import { parseInteger, parseNumber } from '../../runtime/coerce.ts'
import { invokeMethod } from '../../runtime/invoke.ts'
import { IteratorValue } from '../../runtime/items.ts'
import { collectItems, loop, NEXT } from '../../runtime/iterate.ts'
import { boundedText, tick } from '../../runtime/limits.ts'
import { andThen } from '../../runtime/pending.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { ListValue } from '../../values/collection.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { textOf } from '../../values/text.ts'
import { truth } from '../../values/truth.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { readXml, type XmlElement } from './xml-reader.ts'

const GPathClass = declareClass('groovy.xml.slurpersupport.GPathResult')

/** Elements or attribute values that a path selects. */
class GPathValue extends GroovyObject {
  readonly nodes: readonly (XmlElement | string)[]

  constructor(nodes: readonly (XmlElement | string)[]) {
    super()
    this.nodes = nodes
  }

  get klass(): ClassInfo {
    return GPathClass
  }

  /** `path.@name` is an attribute. */
  override fieldProperty(name: string): string {
    return `@${name}`
  }

  get elements(): readonly XmlElement[] {
    return this.nodes.filter((each) => typeof each !== 'string')
  }
}

const childElements = ({ children }: XmlElement): XmlElement[] =>
  children.filter((each): each is XmlElement => typeof each !== 'string')

function textIn(node: XmlElement | string): string {
  tick()
  return typeof node === 'string' ? node : node.children.map(textIn).join('')
}

const textOfAll = ({ nodes }: GPathValue): string => boundedText(nodes.map(textIn).join(''))

function below(element: XmlElement): XmlElement[] {
  tick()
  return [element, ...childElements(element).flatMap(below)]
}

/** A step of a path: child elements, `@name` an attribute, `*` all children, `**` all descendants, `..` the parent. */
function follow(self: GPathValue, name: string): GPathValue {
  const { elements } = self
  if (name.startsWith('@')) {
    const attribute = name.slice(name.indexOf(':') + 1).replace(/^@/, '')
    return new GPathValue(elements.flatMap(({ attributes }) => attributes.get(attribute) ?? []))
  }
  if (name === '*') return new GPathValue(elements.flatMap(childElements))
  if (name === '**') return new GPathValue(elements.flatMap(below))
  if (name === '..') return new GPathValue(elements.flatMap(({ parent }) => parent ?? []))
  const local = name.slice(name.indexOf(':') + 1)
  return new GPathValue(elements.flatMap((each) => childElements(each).filter((child) => child.name === local)))
}

const single = (node: XmlElement | string): GPathValue => new GPathValue([node])

/** The nodes that a closure accepts. */
function findAll(self: GPathValue, closure: ClosureValue): Value {
  const found: (XmlElement | string)[] = []
  return loop(
    self.nodes,
    (node) => call(closure, single(node)),
    (result, node) => {
      if (truth(result)) found.push(node)
      return NEXT
    },
    () => new GPathValue(found),
  )
}

function find(self: GPathValue, closure: ClosureValue): Value {
  return andThen(findAll(self, closure), (found) => new GPathValue((found as GPathValue).nodes.slice(0, 1)))
}

extend(GPathClass, {
  'get(String name): GPathResult': follow,
  'getAt(int index): GPathResult': ({ nodes }: GPathValue, index: number) =>
    new GPathValue(nodes.slice(index < 0 ? nodes.length + index : index).slice(0, 1)),
  'getAt(String name): GPathResult': follow,
  'text(): String': textOfAll,
  'toString(): String': textOfAll,
  'name(): String': ({ elements }: GPathValue) => elements[0]?.name ?? '',
  'size(): int': ({ nodes }: GPathValue) => nodes.length,
  'isEmpty(): boolean': ({ nodes }: GPathValue) => nodes.length === 0,
  'asBoolean(): boolean': ({ nodes }: GPathValue) => nodes.length > 0,
  'children(): GPathResult': (self: GPathValue) => follow(self, '*'),
  'parent(): GPathResult': (self: GPathValue) => follow(self, '..'),
  'depthFirst(): GPathResult': (self: GPathValue) => follow(self, '**'),
  'attributes(): Map': ({ elements }: GPathValue) => HashMapValue.of(elements[0]?.attributes ?? []),
  'list(): List': ({ nodes }: GPathValue) => new ListValue(nodes.map(single)),
  'iterator(): Iterator': ({ nodes }: GPathValue) => new IteratorValue(nodes.map(single)),
  'collect(Closure closure): List': ({ nodes }: GPathValue, closure: ClosureValue) =>
    collectItems(nodes, (node) => call(closure, single(node))),
  'findAll(Closure closure): GPathResult': findAll,
  'find(Closure closure): GPathResult': find,
  'equals(Object other): boolean': (self: GPathValue, other: Value) =>
    other instanceof GPathValue ? textOfAll(self) === textOfAll(other) : textOfAll(self) === other,
  'toInteger(): Integer': (self: GPathValue) => Number(parseInteger(textOfAll(self).trim(), 10, 32)),
  'toLong(): Long': (self: GPathValue) => parseInteger(textOfAll(self).trim(), 10, 64),
  'toDouble(): Double': (self: GPathValue) => parseNumber(textOfAll(self).trim(), 'Double'),
  'toBigDecimal(): BigDecimal': (self: GPathValue) => parseNumber(textOfAll(self).trim(), 'BigDecimal'),
})

class SlurperValue extends GroovyObject {
  readonly klass: ClassInfo

  constructor(klass: ClassInfo) {
    super()
    this.klass = klass
  }
}

for (const name of ['groovy.xml.XmlSlurper', 'groovy.util.XmlSlurper']) {
  const klass = declareClass(name)
  extend(klass, {
    'new()': () => new SlurperValue(klass),
    'new(boolean validating, boolean namespaceAware)': () => new SlurperValue(klass),
    'parseText(String text): GPathResult': (_: SlurperValue, text: string) => new GPathValue([readXml(text)]),
    'parse(Object source): GPathResult': (_: SlurperValue, source: Value) =>
      andThen(invokeMethod(source, 'getText', []), (text) => new GPathValue([readXml(textOf(text))])),
  })
}
