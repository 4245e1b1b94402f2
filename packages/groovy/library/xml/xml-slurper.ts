// XmlSlurper: access to an XML tree by properties, `root.item[0].@id`.

import { checkSize, spend, tick } from '../../meter.ts'
import { extend } from '../../registry/extend.ts'
import { parseInteger, parseNumber } from '../../runtime/coerce.ts'
import { invokeMethod } from '../../runtime/invoke.ts'
import { IteratorValue } from '../../runtime/items.ts'
import { loop, NEXT } from '../../runtime/iterate.ts'
import { andThen, type Maybe } from '../../runtime/pending.ts'
import { TextParts } from '../../runtime/text-parts.ts'
import type { ClassInfo } from '../../values/class-info.ts'
import { declareClass, IterableInterface } from '../../values/classes.ts'
import type { ClosureValue } from '../../values/closure.ts'
import { ListValue, type MapValue } from '../../values/collection.ts'
import { HashMapValue } from '../../values/hash-map.ts'
import { toInt } from '../../values/number-tower.ts'
import type { RangeValue } from '../../values/range.ts'
import { textOf } from '../../values/text.ts'
import { truth } from '../../values/truth.ts'
import { GroovyObject, type Value } from '../../values/value.ts'
import { call } from '../closure/closure-calls.ts'
import { readXml, type XmlElement } from './xml-reader.ts'

const GPathClass = declareClass('groovy.xml.slurpersupport.GPathResult', { interfaces: [IterableInterface] })

interface XmlAttribute {
  readonly attribute: string
  readonly value: string
}

type XmlNode = XmlElement | XmlAttribute

/** Elements or attributes that a path selects. */
class GPathValue extends GroovyObject {
  readonly nodes: readonly XmlNode[]
  /** Namespaces by the prefixes that the script has declared. */
  readonly namespaces: ReadonlyMap<string, string>

  constructor(nodes: readonly XmlNode[], namespaces: ReadonlyMap<string, string>) {
    super()
    this.nodes = nodes
    this.namespaces = namespaces
  }

  get klass(): ClassInfo {
    return GPathClass
  }

  override get weight(): number {
    return this.nodes.length
  }

  /** `path.@name` is an attribute. */
  override fieldProperty(name: string): string {
    return `@${name}`
  }

  get elements(): readonly XmlElement[] {
    return this.nodes.filter(isElement)
  }

  /** Other nodes of the same document. */
  select(nodes: readonly XmlNode[]): GPathValue {
    return new GPathValue(nodes, this.namespaces)
  }

  /** Each node alone. */
  items(): GPathValue[] {
    return this.nodes.map((each) => this.select([each]))
  }
}

const isElement = (node: XmlNode | string): node is XmlElement => typeof node !== 'string' && 'children' in node

function addText(node: XmlNode | string, parts: TextParts): void {
  tick()
  if (typeof node === 'string') parts.add(node)
  else if (isElement(node)) for (const each of node.children) addText(each, parts)
  else parts.add(node.value)
}

function textOfAll({ nodes }: GPathValue): string {
  const parts = new TextParts()
  for (const each of nodes) addText(each, parts)
  return parts.text()
}

/** The nodes of one step; several steps may select a node many times, so that their number is checked as it grows. */
class Selection {
  readonly nodes: XmlNode[] = []

  add(node: XmlNode): void {
    tick()
    checkSize(this.nodes.push(node))
  }

  /** The child elements of an element that a test accepts. */
  addChildren({ children }: XmlElement, test: (element: XmlElement) => boolean = () => true): void {
    spend(children.length)
    for (const each of children) if (typeof each !== 'string' && test(each)) this.add(each)
  }

  /** An element and all below it. */
  addAll(element: XmlElement): void {
    this.add(element)
    spend(element.children.length)
    for (const each of element.children) if (typeof each !== 'string') this.addAll(each)
  }
}

function selected(self: GPathValue, step: (element: XmlElement, selection: Selection) => void): GPathValue {
  const selection = new Selection()
  for (const each of self.elements) {
    tick()
    step(each, selection)
  }
  return self.select(selection.nodes)
}

/** All elements, level by level. */
function byLevel(self: GPathValue): GPathValue {
  const selection = new Selection()
  for (const each of self.elements) selection.add(each)
  for (let index = 0; index < selection.nodes.length; index++) {
    selection.addChildren(selection.nodes[index] as XmlElement)
  }
  return self.select(selection.nodes)
}

/** A step of a path: child elements, `@name` an attribute, `*` all children, `**` all descendants, `..` the parent. */
function follow(self: GPathValue, name: string): GPathValue {
  if (name.startsWith('@')) return attributesOf(self, name.slice(1))
  if (name === '*') return selected(self, (element, selection) => selection.addChildren(element))
  if (name === '**') return selected(self, (element, selection) => selection.addAll(element))
  if (name === '..') {
    return selected(self, ({ parent }, selection) => {
      if (parent !== null) selection.add(parent)
    })
  }
  const test = named(name, self.namespaces)
  return selected(self, (element, selection) => selection.addChildren(element, test))
}

function attributesOf(self: GPathValue, name: string): GPathValue {
  const local = name.slice(name.indexOf(':') + 1)
  return selected(self, ({ attributes }, selection) => {
    const found = [name, local].find((each) => attributes.has(each))
    if (found !== undefined) selection.add({ attribute: found, value: attributes.get(found) ?? '' })
  })
}

/** Elements of a name in any namespace, or in that of a declared prefix; names of documents without namespaces have prefixes. */
function named(name: string, namespaces: ReadonlyMap<string, string>): (element: XmlElement) => boolean {
  const colon = name.indexOf(':')
  if (colon < 0) return (element) => element.name === name
  const [namespace, local] = [namespaces.get(name.slice(0, colon)), name.slice(colon + 1)]
  return (element) => element.name === name || (element.name === local && element.namespace === namespace)
}

/** The nodes that a closure accepts, up to a number of them. */
function findNodes(self: GPathValue, closure: ClosureValue, limit: number): Maybe {
  const found: XmlNode[] = []
  return loop(
    self.nodes,
    (node) => (found.length < limit ? call(closure, self.select([node])) : false),
    (result, node) => {
      if (truth(result)) found.push(node)
      return NEXT
    },
    () => self.select(found),
  )
}

function itemAt(self: GPathValue, index: number): GPathValue {
  const node = self.nodes.at(index)
  return self.select(node === undefined ? [] : [node])
}

/** The text directly inside of an element, in pieces between its child elements. */
function ownText({ elements }: GPathValue): ListValue {
  const children = elements[0]?.children ?? []
  spend(children.length)
  return new ListValue(children.filter((each) => typeof each === 'string'))
}

const nameOf = (node: XmlNode | undefined): string =>
  node === undefined ? '' : 'children' in node ? node.name : node.attribute

extend(GPathClass, {
  'get(String name): GPathResult': follow,
  'getAt(int index): GPathResult': itemAt,
  'getAt(Range range): List': (self: GPathValue, range: RangeValue) =>
    new ListValue(range.items.map((each) => itemAt(self, toInt(each)))),
  'getAt(String name): GPathResult': follow,
  'getProperty(String name): GPathResult': follow,
  'text(): String': textOfAll,
  'toString(): String': textOfAll,
  'localText(): List': ownText,
  'name(): String': ({ nodes }: GPathValue) => nameOf(nodes[0]),
  'namespaceURI(): String': ({ elements }: GPathValue) => elements[0]?.namespace ?? '',
  'declareNamespace(Map prefixes): GPathResult': (self: GPathValue, prefixes: MapValue) => {
    const declared = prefixes.entries().map(({ key, value }) => [textOf(key), textOf(value)] as const)
    return new GPathValue(self.nodes, new Map([...self.namespaces, ...declared]))
  },
  'size(): int': ({ nodes }: GPathValue) => nodes.length,
  'isEmpty(): boolean': ({ nodes }: GPathValue) => nodes.length === 0,
  'children(): GPathResult': (self: GPathValue) => follow(self, '*'),
  'parent(): GPathResult': (self: GPathValue) => follow(self, '..'),
  'depthFirst(): GPathResult': (self: GPathValue) => follow(self, '**'),
  'breadthFirst(): GPathResult': byLevel,
  'attributes(): Map': ({ elements }: GPathValue) => HashMapValue.of(elements[0]?.attributes ?? []),
  'list(): List': (self: GPathValue) => new ListValue(self.items()),
  'iterator(): Iterator': (self: GPathValue) => new IteratorValue(self.items()),
  'findAll(Closure closure): GPathResult': (self: GPathValue, closure: ClosureValue) =>
    findNodes(self, closure, Number.POSITIVE_INFINITY),
  'find(Closure closure): GPathResult': (self: GPathValue, closure: ClosureValue) => findNodes(self, closure, 1),
  'equals(Object? other): boolean': (self: GPathValue, other: Value) => textOfAll(self) === textOf(other),
  'toInteger(): Integer': (self: GPathValue) => Number(parseInteger(textOfAll(self).trim(), 10, 32)),
  'toLong(): Long': (self: GPathValue) => parseInteger(textOfAll(self).trim(), 10, 64),
  'toFloat(): Float': (self: GPathValue) => parseNumber(textOfAll(self).trim(), 'Float'),
  'toDouble(): Double': (self: GPathValue) => parseNumber(textOfAll(self).trim(), 'Double'),
  'toBigDecimal(): BigDecimal': (self: GPathValue) => parseNumber(textOfAll(self).trim(), 'BigDecimal'),
  'toBigInteger(): BigInteger': (self: GPathValue) => parseNumber(textOfAll(self).trim(), 'BigInteger'),
})

class SlurperValue extends GroovyObject {
  readonly klass: ClassInfo
  readonly namespaceAware: boolean

  constructor(klass: ClassInfo, namespaceAware = true) {
    super()
    this.klass = klass
    this.namespaceAware = namespaceAware
  }

  parse(text: string): GPathValue {
    return new GPathValue([readXml(text, this.namespaceAware)], new Map())
  }
}

for (const name of ['groovy.xml.XmlSlurper', 'groovy.util.XmlSlurper']) {
  const klass = declareClass(name)
  extend(klass, {
    'new()': () => new SlurperValue(klass),
    'new(boolean validating, boolean namespaceAware)': (_: boolean, namespaceAware: boolean) =>
      new SlurperValue(klass, namespaceAware),
    'parseText(String text): GPathResult': (self: SlurperValue, text: string) => self.parse(text),
    'parse(Object source): GPathResult': (self: SlurperValue, source: Value) =>
      andThen(invokeMethod(source, 'getText', []), (text) => self.parse(textOf(text))),
  })
}
