import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { compile, isExpression, recordFile, type Scope, scopeOf, substituteTokens } from '#expression'
import {
  appendPointer,
  documentText,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  readDocument,
  setOwn,
} from '#json'
import { didYouMean, type Problem, unboundNames } from '#schema'

/** Resolves `&{name}`; undefined for an unknown name. */
export type TokenResolver = (token: string) => JsonValue | undefined

/** The properties of a document and its parents: the values of `&{name}` and `${name}`. */
export class Properties {
  readonly scope: Scope
  readonly token: TokenResolver
  readonly problems: readonly Problem[]
  readonly #own: Readonly<Record<string, JsonValue>>
  /** Expressions of own properties that are null. */
  readonly #nulls: ReadonlyMap<string, string>
  readonly #parent: Properties | null

  private constructor(
    scope: Scope,
    token: TokenResolver,
    problems: readonly Problem[],
    own: Readonly<Record<string, JsonValue>> = {},
    parent: Properties | null = null,
    nulls: ReadonlyMap<string, string> = new Map(),
  ) {
    this.scope = scope
    this.token = token
    this.problems = problems
    this.#own = own
    this.#parent = parent
    this.#nulls = nulls
  }

  /** Names of the properties of the document and its parents, with the dotted paths into groups, for suggestions. */
  get #names(): readonly string[] {
    return [...namesIn(this.#own, ''), ...(this.#parent === null ? [] : this.#parent.#names)].slice(0, MAX_NAMES)
  }

  /** What is to say of a token without a value: why the property of that name has none, or a similar name. */
  adviceFor(token: string): string {
    const names = this.#names
    if (!names.includes(token)) return didYouMean(token, names)
    const text = this.#nulls.get(token)
    if (text === undefined) return '; the property of this name is null, or has a problem'
    return `; the property of this name is null: ${text}${unboundNames(compile(text), this.scope)}`
  }

  /** The outermost properties: the environment, and those of the gateway. */
  static root(scope: Scope, token: TokenResolver): Properties {
    return new Properties(scope, token, [])
  }

  /** Properties of a child document. Entries are evaluated in order; later ones may use earlier ones. */
  extend(json: JsonValue): Properties {
    if (json === null) return this
    const problems: Problem[] = []
    if (!isPlainObject(json)) {
      problems.push({ pointer: '/properties', message: 'expected an object: property name to value' })
      return new Properties(this.scope, this.token, problems, {}, this)
    }
    const own: Record<string, JsonValue> = Object.create(null)
    const nulls = new Map<string, string>()
    const scope = scopeOf(own, this.scope)
    const token: TokenResolver = (name) => lookUp(own, name) ?? this.token(name)
    const source = locationOf(json) === null ? json : this.#load(json, '/properties', scope, token, problems)
    if (isPlainObject(source)) {
      for (const key of Object.keys(source)) {
        const at = appendPointer('/properties', key)
        const known = problems.length
        const text = source[key] as JsonValue
        const value = evaluated(text, at, scope, token, problems, (name) => laterProperty(name, source, own))
        if (value === null && typeof text === 'string' && problems.length === known) nulls.set(key, text)
        const group = key.startsWith('$location:') ? key.slice('$location:'.length) : key
        const content = group === key ? value : ({ $location: value } as JsonValue)
        own[group] = locationOf(content) === null ? content : this.#load(content, at, scope, token, problems)
      }
    }
    return new Properties(scope, token, problems, own, this, nulls)
  }

  /** `{"$location": url}` is replaced by the JSON of that file. Only files: loading must not need the network. */
  #load(json: JsonValue, pointer: string, scope: Scope, token: TokenResolver, problems: Problem[]): JsonValue {
    const location = evaluated(
      locationOf(json) as JsonValue,
      appendPointer(pointer, '$location'),
      scope,
      token,
      problems,
    )
    try {
      const url = URL.parse(String(location))
      if (url?.protocol !== 'file:') {
        const got = url === null ? '' : `, got ${url.protocol}`
        throw new TypeError(`expected a file: URL such as "file:///etc/gateway/properties.json"${got}`)
      }
      const path = fileURLToPath(url)
      recordFile(path)
      return readDocument(documentText(readFileSync(path))).value
    } catch (error) {
      const message = `the properties at ${JSON.stringify(location)} can not be read: ${(error as Error).message}`
      problems.push({ pointer: appendPointer(pointer, '$location'), message })
      return null
    }
  }
}

/** Suggestions are searched among so many names. */
const MAX_NAMES = 1_000

function namesIn(properties: Readonly<Record<string, JsonValue>>, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, value]) => [
    prefix + name,
    ...(prefix === '' && isPlainObject(value) ? namesIn(value as Record<string, JsonValue>, `${name}.`) : []),
  ])
}

function locationOf(json: JsonValue): JsonValue | null {
  if (!isPlainObject(json)) return null
  const keys = Object.keys(json)
  return keys.length === 1 && keys[0] === '$location' ? (json['$location'] as JsonValue) : null
}

function evaluated(
  json: JsonValue,
  pointer: string,
  scope: Scope,
  token: TokenResolver,
  problems: Problem[],
  suggest?: (name: string) => string,
): JsonValue {
  const substituted = substituteTokens(json, token, suggest)
  for (const problem of substituted.problems) problems.push({ ...problem, pointer: pointer + problem.pointer })
  return evaluateTexts(substituted.value as JsonValue, pointer, scope, problems)
}

function evaluateTexts(json: JsonValue, pointer: string, scope: Scope, problems: Problem[]): JsonValue {
  if (typeof json === 'string') {
    if (!isExpression(json)) return json
    try {
      return (compile(json).evaluate(scope) ?? null) as JsonValue
    } catch (error) {
      problems.push({ pointer, message: `${json} can not be evaluated: ${(error as Error).message}` })
      return null
    }
  }
  if (Array.isArray(json))
    return json.map((item, at) => evaluateTexts(item, appendPointer(pointer, at), scope, problems))
  if (!isPlainObject(json)) return json
  const result: Record<string, JsonValue> = {}
  for (const key of Object.keys(json)) {
    setOwn(result, key, evaluateTexts(json[key] as JsonValue, appendPointer(pointer, key), scope, problems))
  }
  return result
}

/** The rule for the order, where a token is a property that has no value yet; otherwise empty. */
function laterProperty(token: string, source: JsonObject, own: Readonly<Record<string, JsonValue>>): string {
  const name = Object.hasOwn(source, token) ? token : (token.split('.')[0] as string)
  if (!Object.hasOwn(source, name) || Object.hasOwn(own, name)) return ''
  return '; a property can use only those that are declared before it'
}

/** A property by its name, or by the dotted path into its groups. */
function lookUp(own: Record<string, JsonValue>, name: string): JsonValue | undefined {
  if (Object.hasOwn(own, name)) return own[name]
  let current: JsonValue | undefined = own
  for (const part of name.split('.')) {
    if (!isPlainObject(current) || !Object.hasOwn(current, part)) return undefined
    current = current[part] as JsonValue
  }
  return current
}
