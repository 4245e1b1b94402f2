import { isPlainObject, type JsonObject, type JsonValue, setOwn } from '#json'

/**
 * Fields of older or newer dialects of the configuration, and their current spelling. Data: decoding, warnings, JSON Schema,
 * reference pages and migration are derived from it.
 */
export interface OlderSpelling {
  /** Old names, converted together; `a.b` is a member of the object `a`. The first one is the location of warnings. */
  readonly old: readonly string[]
  /** The current field, which takes precedence if both are given; null without one. */
  readonly current: string | null
  readonly hasEffect: boolean
  /** Further fields that the conversion sets. */
  readonly sets: readonly string[]
  /** Continues `x is deprecated; ` or, for a field without effect, `x has no effect: `. */
  readonly advice: string
  /** Whether the value is the same under another name. */
  readonly isRename: boolean
  /** Whether the value has to be masked in forms. */
  readonly secret: boolean
  /** Whether a document gets one warning for all uses. */
  readonly warnsOnce: boolean
  /** Members in the current spelling. `old` has the given old members by name, `others` all other members. */
  convert(old: JsonObject, others: JsonObject): JsonObject
}

/** The same value under another name; `a.b` is a member of the object `a`. */
export function renamed(old: string, current: string, advice = `use ${current} instead`): OlderSpelling {
  const [member = current] = current.split('.')
  return {
    ...spelling([old], current, advice),
    sets: [member],
    isRename: true,
    convert: (given, others) => withMember(others, current, given[old] as JsonValue),
  }
}

/** Several renamed fields: old name to current name. */
export function renames(names: Readonly<Record<string, string>>): OlderSpelling[] {
  return Object.entries(names).map(([old, current]) => renamed(old, current))
}

/** A field that is accepted without effect. */
export function ignored(old: string, advice: string, { warnsOnce = false } = {}): OlderSpelling {
  return { ...spelling([old], null, advice), hasEffect: false, warnsOnce }
}

/** Decorations of an object that are written beside the reference to it: they move to a Delegate in its place. */
export function decorationsBeside(reference: string, decorators: readonly string[]): OlderSpelling {
  const advice = `decorators belong beside type and config of the object in ${reference}, or of a Delegate`
  const convert = (old: JsonObject, others: JsonObject): JsonObject => ({
    [reference]: { type: 'Delegate', config: { delegate: others[reference] ?? null }, ...old },
  })
  return { ...spelling(decorators, null, advice), hasEffect: true, convert }
}

/** Fields whose values are written differently now. */
export function converted(
  old: readonly string[],
  current: string,
  advice: string,
  convert: OlderSpelling['convert'],
  sets: readonly string[] = [],
): OlderSpelling {
  const [member = current] = current.split('.')
  return { ...spelling(old, current, advice), sets: [member, ...sets], convert }
}

/** A secret in clear text where the id of a secret is expected now: the object gets a store with this one secret. */
export function clearText(old: string, current: string, secretId: string): OlderSpelling {
  const advice = `it is a secret in clear text: move it to a secret store, such as the file secrets/${secretId} of a FileSystemSecretStore, and set ${current} to "${secretId}" and secretsProvider to that store`
  const convert = (given: JsonObject, others: JsonObject): JsonObject => ({
    ...withMember(others, current, secretId),
    secretsProvider: clearTextStore(secretId, given[old] as JsonValue, others['secretsProvider']),
  })
  const [member = current] = current.split('.')
  return { ...spelling([old], current, advice), sets: [member, 'secretsProvider'], secret: true, convert }
}

/** A secret in clear text that a conversion found, and the other providers of its object. */
export interface ClearText {
  readonly secretId: string
  readonly value: JsonValue
  readonly others: readonly JsonValue[]
  /** Whether the value is a symmetric key in base64, rather than a password. */
  readonly isKey: boolean
}

const CLEAR_TEXTS = new WeakMap<JsonObject, ClearText>()

/** A provider of one secret in clear text, before the given provider. */
export function clearTextStore(secretId: string, value: JsonValue, provider?: JsonValue): JsonObject {
  const store = { type: 'Base64EncodedSecretStore', config: { secrets: { [secretId]: inBase64(value) } } }
  const others = (Array.isArray(provider) ? provider : [provider ?? null]).filter((each) => each !== null)
  const made = { type: 'SecretsProvider', config: { stores: [store, ...others] } }
  CLEAR_TEXTS.set(made, { secretId, value, others, isKey: false })
  return made
}

/** A placeholder for a provider of a symmetric key, given in base64: only for migrations that move it to a file. */
export function clearKeyStore(secretId: string, value: string): JsonObject {
  const made = { type: 'SecretsProvider', config: { stores: [] } }
  CLEAR_TEXTS.set(made, { secretId, value, others: [], isKey: true })
  return made
}

/** The secret of a provider that `clearTextStore` made; null for any other value. */
export function clearTextOf(provider: JsonValue): ClearText | null {
  return isPlainObject(provider) ? (CLEAR_TEXTS.get(provider as JsonObject) ?? null) : null
}

/** The value in base64; a value that is no text is rejected later, without being shown. */
function inBase64(value: JsonValue): JsonValue {
  if (typeof value !== 'string') return null
  const parts = value.split(/[$#]\{([^{}]*)\}/)
  if (parts.length === 1) return Buffer.from(value, 'utf8').toString('base64')
  const operands = parts.flatMap((part, at) => (at % 2 === 1 ? [part] : part === '' ? [] : [quoted(part)]))
  const [first = '', ...more] = operands
  return `\${encodeBase64(${more.length === 0 ? first : `''${operands.map((each) => `.concat(${each})`).join('')}`})}`
}

/** A literal of an expression. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** The patch that sets a member, or a member of a member; none where that is another value, such as an expression. */
export function withMember(others: JsonObject, path: string, value: JsonValue): JsonObject {
  const [name = '', inner] = path.split('.')
  if (inner === undefined) return { [name]: value }
  const outer = others[name]
  if (typeof outer === 'string') return {}
  const copy: JsonObject = {}
  if (isPlainObject(outer)) for (const key of Object.keys(outer)) setOwn(copy, key, outer[key] as JsonValue)
  setOwn(copy, inner, value)
  return { [name]: copy }
}

function spelling(old: readonly string[], current: string | null, advice: string): OlderSpelling {
  return {
    old,
    current,
    hasEffect: true,
    sets: [],
    advice,
    isRename: false,
    secret: false,
    warnsOnce: false,
    convert: () => ({}),
  }
}
