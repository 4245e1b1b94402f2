// Names in certificates, as Java writes them.

/** Attribute types that Java names otherwise than OpenSSL does. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ['emailAddress', 'EMAILADDRESS'],
  ['serialNumber', 'SERIALNUMBER'],
  ['SN', 'SURNAME'],
  ['GN', 'GIVENNAME'],
  ['title', 'T'],
  ['street', 'STREET'],
  ['dnQualifier', 'DNQUALIFIER'],
  ['initials', 'INITIALS'],
  ['generationQualifier', 'GENERATION'],
  ['organizationIdentifier', 'OID.2.5.4.97'],
])

/**
 * The name as `toString` writes it, with `, ` between its parts and quotes around special characters, or with `,` and escapes as in
 * RFC 2253. Node prints one attribute per line, the most general first; Java has them on one line in reverse order.
 */
export function distinguishedName(lines: string, separator: ', ' | ','): string {
  const attribute = (line: string): string => {
    const at = line.indexOf('=')
    const [type, value] = [line.slice(0, at), line.slice(at + 1)]
    const name = TYPES.get(type) ?? (/^\d/.test(type) ? `OID.${type}` : type)
    return `${name}=${separator === ',' ? value : quotedWhereNeeded(value)}`
  }
  return lines === '' ? '' : lines.split('\n').reverse().map(attribute).join(separator)
}

function quotedWhereNeeded(value: string): string {
  if (!value.includes('\\')) return value
  return `"${value.replace(/\\(.)/g, '$1').replace(/["\\]/g, '\\$&')}"`
}

/** Numbers of the forms of a name (RFC 5280, section 4.2.1.6). */
const FORMS: ReadonlyMap<string, number> = new Map([
  ['email', 1],
  ['DNS', 2],
  ['URI', 6],
  ['IP Address', 7],
])

/** Form and text of each alternative name; forms whose content is not a text are left out. */
export function alternativeNames(names: string | undefined): (readonly [number, string])[] {
  const all = (names ?? '').match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []
  return all.flatMap((each) => {
    const [, form = '', text = ''] = /^\s*([^:]+):(.*)$/.exec(each) ?? []
    const number = FORMS.get(form)
    return number === undefined ? [] : [[number, unquoted(text)] as const]
  })
}

/** Node quotes a name with a comma or a quote as a JSON string. */
function unquoted(text: string): string {
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
