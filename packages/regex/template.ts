import { MatchError } from './errors.ts'
import type { Match, Matcher } from './matcher.ts'

/** The longest text that a replacement may create, in UTF-16 code units. */
const maxLength = 16 * 1024 * 1024

/** Expands a replacement template of Java: `$1`, `$0`, `${name}`, and `\` before a literal character. */
export function expandTemplate(template: string, match: Pick<Match, 'groups' | 'names'>): string {
  let text = ''
  for (let position = 0; position < template.length; ) {
    const character = template[position]!
    position += 1
    if (character === '\\') {
      if (position === template.length) throw new MatchError('a replacement ends in a single backslash')
      text += template[position]
      position += 1
    } else if (character === '$') {
      const reference = readReference(template, position, match)
      text += match.groups[reference.group] ?? ''
      position = reference.end
    } else text += character
    bounded(text)
  }
  return text
}

function readReference(
  template: string,
  at: number,
  { groups, names }: Pick<Match, 'groups' | 'names'>,
): { readonly group: number; readonly end: number } {
  const named = /^\{([A-Za-z][A-Za-z0-9]*)\}/.exec(template.slice(at, at + 100))
  if (named !== null) {
    const group = names.get(named[1]!)
    if (group === undefined) throw new MatchError(`a replacement names the group ${named[1]}, which does not exist`)
    return { group, end: at + named[0].length }
  }
  let end = at
  let group = 0
  // As in Java, further digits belong to the number only while such a group exists.
  while (/^\d$/.test(template[end] ?? '') && (end === at || group * 10 + Number(template[end]) < groups.length)) {
    group = group * 10 + Number(template[end])
    end += 1
  }
  if (end === at) throw new MatchError('a replacement has a "$" without a group; write \\$ for the character')
  if (group >= groups.length) throw new MatchError(`a replacement names group ${group}, which does not exist`)
  return { group, end }
}

/** Replaces the first or every match by an expanded template. */
export function replaceMatches(matcher: Matcher, subject: string, template: string, extent: 'first' | 'all'): string {
  let text = ''
  let position = 0
  for (const match of matcher.findAll(subject)) {
    text += subject.slice(position, match.index) + expandTemplate(template, match)
    bounded(text)
    position = match.end
    if (extent === 'first') break
  }
  return bounded(text + subject.slice(position))
}

/** Splits as in Java: no trailing empty strings, none at the start for an empty match. */
export function splitAt(matcher: Matcher, subject: string): string[] {
  const parts: string[] = []
  let position = 0
  for (const match of matcher.findAll(subject)) {
    if (match.end === 0 || (match.end === match.index && match.index === subject.length)) continue
    parts.push(subject.slice(position, match.index))
    position = match.end
  }
  if (parts.length === 0) return [subject]
  parts.push(subject.slice(position))
  while (parts.at(-1) === '') parts.pop()
  return parts
}

function bounded(text: string): string {
  if (text.length <= maxLength) return text
  throw new MatchError(`a string of ${text.length} characters is too long, at most ${maxLength} are allowed`)
}
