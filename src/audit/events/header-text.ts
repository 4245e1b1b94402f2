import { jsonString, jsonText } from '../event.ts'
import type { AccessFields } from './access-fields.ts'

/** A header name, with the member of the event that was written last: most requests of a client repeat their values. */
interface Name {
  /** Beginning of the member. */
  readonly key: string
  readonly bit: number
  value: string
  text: string
}

/** Names with a bit of their own. */
const MAX_NAMES = 31

/** Serializes the included request headers of a flat list: the text of `jsonText(fields.requestHeaders(headers))`, without braces. */
export function headerText(fields: AccessFields): (headers: readonly string[]) => string {
  const included = fields.requestHeaderNames
  const anyText = (headers: readonly string[]): string => jsonText(fields.requestHeaders(headers)).slice(1, -1)
  if (included === null || included === 'all' || included.size > MAX_NAMES || included.has('cookie')) return anyText
  const names = new Map([...included].flatMap((name, at) => spellings(name, at)))
  const hasLength = lengthsOf(included)
  // Members of the last request, and their text: most requests of a client repeat all of them.
  const last: string[] = []
  let lastCount = 0
  let text = ''
  return (headers) => {
    let found = 0
    let count = 0
    let isSame = true
    for (let at = 0; at < headers.length; at += 2) {
      const sent = headers[at]!
      if (hasLength[sent.length] !== true) continue
      const name = names.get(sent) ?? names.get(sent.toLowerCase())
      if (name === undefined) continue
      // A list with several values.
      if ((found & name.bit) !== 0) {
        lastCount = -1
        return anyText(headers)
      }
      found |= name.bit
      const member = memberText(name, headers[at + 1]!)
      if (last[count] !== member) {
        last[count] = member
        isSame = false
      }
      count++
    }
    if (isSame && count === lastCount) return text
    lastCount = count
    text = joined(last, count)
    return text
  }
}

function joined(members: readonly string[], count: number): string {
  let text = count === 0 ? '' : members[0]!
  for (let at = 1; at < count; at++) text = `${text},${members[at]}`
  return text
}

function memberText(name: Name, value: string): string {
  if (value !== name.value) {
    name.value = value
    name.text = `${name.key}${jsonString(value)}]`
  }
  return name.text
}

/** In lower case, as HTTP/2 sends it, and as most clients of HTTP/1.1 do; others are found by their lower case. */
function spellings(name: string, at: number): [string, Name][] {
  const key = `${jsonString(name)}:[`
  const found: Name = { key, bit: 1 << at, value: '', text: `${key}""]` }
  return [name, name.replace(/(?<![a-z0-9])[a-z]/g, (letter) => letter.toUpperCase())].map((each) => [each, found])
}

function lengthsOf(names: ReadonlySet<string>): boolean[] {
  const lengths: boolean[] = []
  for (const { length } of names) lengths[length] = true
  return lengths
}
