// Parses XML into a tree: elements, attributes and text. DOCTYPE is rejected, so that there are no custom or external entities.
import { checkText, spend, tick } from '../../meter.ts'
import { ExceptionClass } from '../../values/exceptions.ts'
import { declareException, throwable } from '../../values/throwable.ts'

const SaxException = declareException('org.xml.sax.SAXException', ExceptionClass)
const SaxParseException = declareException('org.xml.sax.SAXParseException', SaxException)

export interface XmlElement {
  /** Without its prefix, unless the document is read without namespaces. */
  readonly name: string
  /** With its prefix. */
  readonly qualifiedName: string
  /** Empty for none. */
  readonly namespace: string
  readonly attributes: ReadonlyMap<string, string>
  readonly children: (XmlElement | string)[]
  readonly parent: XmlElement | null
}

const MAX_DEPTH = 200
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

const TOKEN =
  /<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s<>/]+)\s*>|<([^\s<>/!?]+)((?:\s+[^\s=<>/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/y
const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g

/** Reads a document; throws SAXParseException. */
export function readXml(text: string, namespaceAware = true): XmlElement {
  checkText(text.length)
  spend(text.length * 8)
  let root: XmlElement | null = null
  let at: XmlElement | null = null
  let depth = 0
  const namespaces = new Namespaces()
  TOKEN.lastIndex = 0
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (let index = start; index < text.length; index = TOKEN.lastIndex) {
    tick()
    TOKEN.lastIndex = index
    const match = TOKEN.exec(text)
    if (match === null) throw malformed(text, index)
    const [, cdata, end, name, attributes = '', empty, content] = match
    if (end !== undefined) {
      if (at === null || at.qualifiedName !== end) throw malformed(text, index)
      dropBlankText(at)
      at = at.parent
      if (namespaceAware) namespaces.leave()
      depth -= 1
    } else if (name !== undefined) {
      if (at === null && root !== null) throw malformed(text, index)
      const all = readAttributes(attributes)
      if (all === null) throw malformed(text, index)
      if (namespaceAware) namespaces.enter(all)
      const namespace = namespaceAware ? namespaces.of(prefixOf(name)) : ''
      if (namespace === undefined) throw malformed(text, index)
      const element: XmlElement = {
        name: namespaceAware ? localName(name) : name,
        qualifiedName: name,
        namespace,
        attributes: namespaceAware ? withoutDeclarations(all) : all,
        children: [],
        parent: at,
      }
      if (at !== null) dropBlankText(at)
      at?.children.push(element)
      root ??= element
      if (empty === '') {
        at = element
        depth += 1
        if (depth > MAX_DEPTH)
          throw throwable(SaxParseException, `elements are nested more than ${MAX_DEPTH} levels deep`)
      } else if (namespaceAware) namespaces.leave()
    } else if (cdata !== undefined || content !== undefined)
      addText(at, cdata ?? decoded(content as string), text, index)
  }
  if (root === null || at !== null) throw malformed(text, text.length)
  return root
}

/** Pieces of text without an element between them are one text. */
function addText(at: XmlElement | null, piece: string, text: string, index: number): void {
  if (at === null) {
    if (piece.trim() !== '') throw malformed(text, index)
    return
  }
  const before = at.children.at(-1)
  if (typeof before === 'string') at.children[at.children.length - 1] = before + piece
  else at.children.push(piece)
}

/** Text of spaces alone is ignored, as XmlSlurper does. */
function dropBlankText({ children }: XmlElement): void {
  const last = children.at(-1)
  if (typeof last === 'string' && last.trim() === '') children.pop()
}

function malformed(text: string, index: number): unknown {
  const line = text.slice(0, index).split('\n').length
  const reason = text.startsWith('<!DOCTYPE', index) ? 'DOCTYPE is disallowed' : 'the document is not well-formed'
  return throwable(SaxParseException, `lineNumber: ${line}; ${reason}`)
}

/** By their names with prefixes; null where one is given twice. */
function readAttributes(text: string): ReadonlyMap<string, string> | null {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) return null
    attributes.set(name, decoded(double ?? single ?? ''))
  }
  return attributes
}

const isDeclaration = (name: string): boolean => name === 'xmlns' || name.startsWith('xmlns:')

/** The namespaces that the open elements declare. An element costs no more than it declares itself. */
class Namespaces {
  /** Namespaces by prefix, the innermost last; the default one is that of the empty prefix. */
  readonly #byPrefix = new Map<string, string[]>([
    ['', ['']],
    ['xml', ['http://www.w3.org/XML/1998/namespace']],
  ])
  /** The prefixes that each open element declares. */
  readonly #open: (readonly string[])[] = []

  enter(attributes: ReadonlyMap<string, string>): void {
    let declared: string[] | null = null
    for (const [name, uri] of attributes) {
      if (!isDeclaration(name)) continue
      const prefix = name === 'xmlns' ? '' : localName(name)
      const outer = this.#byPrefix.get(prefix)
      if (outer === undefined) this.#byPrefix.set(prefix, [uri])
      else outer.push(uri)
      declared ??= []
      declared.push(prefix)
    }
    this.#open.push(declared ?? NONE)
  }

  leave(): void {
    for (const prefix of this.#open.pop() ?? NONE) {
      const declared = this.#byPrefix.get(prefix) as string[]
      declared.pop()
      if (declared.length === 0) this.#byPrefix.delete(prefix)
    }
  }

  of(prefix: string): string | undefined {
    return this.#byPrefix.get(prefix)?.at(-1)
  }
}

const NONE: readonly string[] = []

const withoutDeclarations = (attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...attributes].filter(([name]) => !isDeclaration(name)).map(([name, value]) => [localName(name), value]))

const prefixOf = (name: string): string => name.slice(0, Math.max(0, name.indexOf(':')))
const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w{1,20});?/g, (whole, name: string) => {
    tick()
    const known = ENTITIES.get(name)
    if (known !== undefined) return known
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    if (!name.startsWith('#') || !(code <= 0x10ffff)) {
      throw throwable(SaxParseException, `The entity "${name}" was referenced, but not declared.`)
    }
    return whole === '' ? '' : String.fromCodePoint(code)
  })
}
