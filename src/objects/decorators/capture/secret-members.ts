import { isSecretName, redacted } from '#logging'

const COLON = /\s*:\s*/y
const SCALAR_END = /[,\]}\s]|$/g

/**
 * JSON text in which the value of each member with a secret name is masked. Works on truncated text, in linear time.
 */
export function maskMembers(text: string): string {
  let masked = ''
  let copied = 0
  for (let at = text.indexOf('"'); at >= 0; ) {
    const end = stringEnd(text, at)
    COLON.lastIndex = end
    const secret = COLON.test(text) && isSecretName(nameOf(text.slice(at, end)))
    const from = COLON.lastIndex
    if (secret && !text.startsWith('null', from)) {
      masked += `${text.slice(copied, from)}"${redacted}"`
      copied = valueEnd(text, from)
      at = text.indexOf('"', copied)
    } else at = text.indexOf('"', end)
  }
  return masked + text.slice(copied)
}

/** The position after the closing quote, or the end of the text. */
function stringEnd(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function nameOf(literal: string): string {
  try {
    return String(JSON.parse(literal))
  } catch {
    return literal.slice(1, -1)
  }
}

function valueEnd(text: string, from: number): number {
  if (text[from] === '"') return stringEnd(text, from)
  if (text[from] === '{' || text[from] === '[') return nestedEnd(text, from)
  SCALAR_END.lastIndex = from
  return SCALAR_END.exec(text)?.index ?? text.length
}

function nestedEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = stringEnd(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
  return text.length
}
