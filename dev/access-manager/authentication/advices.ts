import type { Family } from '../settings.ts'

/** Advices by their name, each with its values. */
export type Advices = ReadonlyMap<string, readonly string[]>

const MOST_CHARACTERS = 16_384
const PAIR = /<AttributeValuePair><Attribute name="(\w+)"\/>((?:<Value>[^<]*<\/Value>)*)<\/AttributeValuePair>/g

/** Parses composite advice: XML, or for PingAM also its base64url form; null for other text. */
export function readAdvices(text: string, family: Family): Advices | null {
  if (text.length > MOST_CHARACTERS) return null
  const encoded = family === 'pingam' && /^[\w-]+$/.test(text)
  const xml = encoded ? Buffer.from(text, 'base64url').toString('utf8') : text
  const body = /^<Advices>(.*)<\/Advices>$/s.exec(xml)?.[1]
  if (body === undefined || body.replace(PAIR, '') !== '') return null
  const pairs = [...body.matchAll(PAIR)].map(([, name = '', values = '']): [string, string[]] => [
    name,
    [...values.matchAll(/<Value>([^<]*)<\/Value>/g)].map(([, value = '']) => unescaped(value)),
  ])
  return pairs.length === 0 ? null : new Map(pairs)
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function unescaped(text: string): string {
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => ENTITIES[name] as string)
}
