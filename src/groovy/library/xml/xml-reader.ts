// Parses XML into a tree: elements, attributes and text. DOCTYPE is rejected, so that there are no custom or external entities.
import { checkText, spend, tick } from '../../runtime/limits.ts'
import { IOException } from '../../values/exceptions.ts'
import { declareException, throwable } from '../../values/throwable.ts'

const SaxParseException = declareException('org.xml.sax.SAXParseException', IOException)

export interface XmlElement {
  /** Without its prefix. */
  readonly name: string
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
export function readXml(text: string): XmlElement {
  checkText(text.length)
  spend(text.length * 8)
  let root: XmlElement | null = null
  let at: XmlElement | null = null
  let depth = 0
  TOKEN.lastIndex = 0
  const start = text.charCodeAt(0) === 0xfeff ? 1 : 0
  for (let index = start; index < text.length; index = TOKEN.lastIndex) {
    tick()
    TOKEN.lastIndex = index
    const match = TOKEN.exec(text)
    if (match === null) throw malformed(text, index)
    const [, cdata, end, name, attributes = '', empty, content] = match
    if (end !== undefined) {
      if (at === null || at.name !== localName(end)) throw malformed(text, index)
      at = at.parent
      depth -= 1
    } else if (name !== undefined) {
      if (at === null && root !== null) throw malformed(text, index)
      const element: XmlElement = {
        name: localName(name),
        attributes: readAttributes(attributes),
        children: [],
        parent: at,
      }
      at?.children.push(element)
      root ??= element
      if (empty === '') {
        at = element
        depth += 1
        if (depth > MAX_DEPTH)
          throw throwable(SaxParseException, `elements are nested more than ${MAX_DEPTH} levels deep`)
      }
    } else if (cdata !== undefined || content !== undefined)
      addText(at, cdata ?? decoded(content as string), text, index)
  }
  if (root === null || at !== null) throw malformed(text, text.length)
  return root
}

function addText(at: XmlElement | null, piece: string, text: string, index: number): void {
  if (at !== null) at.children.push(piece)
  else if (piece.trim() !== '') throw malformed(text, index)
}

function malformed(text: string, index: number): unknown {
  const line = text.slice(0, index).split('\n').length
  const reason = text.startsWith('<!DOCTYPE', index) ? 'DOCTYPE is disallowed' : 'the document is not well-formed'
  return throwable(SaxParseException, `lineNumber: ${line}; ${reason}`)
}

function readAttributes(text: string): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single] of text.matchAll(ATTRIBUTE)) {
    if (name !== 'xmlns' && !name.startsWith('xmlns:')) attributes.set(localName(name), decoded(double ?? single ?? ''))
  }
  return attributes
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w{1,20});?/g, (whole, name: string) => {
    const known = ENTITIES.get(name)
    if (known !== undefined) return known
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    if (!name.startsWith('#') || !(code <= 0x10ffff)) {
      throw throwable(SaxParseException, `The entity "${name}" was referenced, but not declared.`)
    }
    return whole === '' ? '' : String.fromCodePoint(code)
  })
}
