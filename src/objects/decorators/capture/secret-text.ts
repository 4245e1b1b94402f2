import { decodedName, isSecretName, isSecretParameter, maskText, redacted } from '#logging'
import { maskMembers } from './secret-members.ts'

// Each pattern starts at a fixed character or is bounded, so that matching takes linear time.
const ELEMENT = /<((?:[\w.-]{1,64}:)?([\w.-]{1,64}))((?:\s[^<>]*)?)>([^<]*)/g
const ATTRIBUTE = /(?<![\w:.-])([\w:.-]{1,64})(\s{0,8}=\s{0,8})("[^"]*"|'[^']*')/g
const NAME_ATTRIBUTE = /(?<![\w:.-])(?:name|id)\s{0,8}=\s{0,8}(?:"([^"]{1,128})"|'([^']{1,128})')/gi

/** Content in which credentials are masked, by their name in a form, JSON or markup, or by their form. */
export function maskContent(text: string, mediaType: string): string {
  if (mediaType === 'application/x-www-form-urlencoded') return maskText(maskForm(text))
  if (mediaType.includes('json')) return maskText(maskMembers(text))
  return maskText(/xml|html/.test(mediaType) ? maskMarkup(text) : text)
}

function maskForm(text: string): string {
  const pairs = text.split('&').map((pair) => {
    const equals = pair.indexOf('=')
    const secret =
      equals > 0 && equals < pair.length - 1 && isSecretParameter(decodedName(pair.slice(0, equals)).trim())
    return secret ? `${pair.slice(0, equals)}=${redacted}` : pair
  })
  return pairs.join('&')
}

function maskMarkup(text: string): string {
  return text.replace(ELEMENT, (_, name: string, local: string, attributes: string, content: string) => {
    const secret = content.trim() !== '' && isSecretName(local) && !attributes.endsWith('/')
    return `<${name}${maskAttributes(attributes)}>${secret ? redacted : content}`
  })
}

/** Masks attributes with a secret name, and the value of an input with a secret name. */
function maskAttributes(attributes: string): string {
  const named = attributes
    .matchAll(NAME_ATTRIBUTE)
    .some(([, double, single]) => isSecretParameter(double ?? single ?? ''))
  return attributes.replace(ATTRIBUTE, (whole, name: string, equals: string) => {
    const secret = isSecretName(name) || (named && name.toLowerCase() === 'value')
    return secret ? `${name}${equals}"${redacted}"` : whole
  })
}
